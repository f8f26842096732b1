import { measureStreams } from './measure-streams.ts'

/**
 * `npm run proof:streams`: what the service holds in memory while a thousand streams are open and quiet. About a minute. A large
 * answer's memory is `npm run proof:memory`.
 */
const STREAMS = Number(process.env.STREAMS ?? 1000)
const MOST_MEGABYTES = 250
/** Longer than the service waits before it looks whether those who listen still may. */
const REST = 12_000

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const { restMegabytes, openMegabytes, kilobytesEach } = await measureStreams(STREAMS, REST)
const met = openMegabytes < MOST_MEGABYTES
process.stdout.write(
  `${met ? '✔' : '✖'} ${STREAMS} open streams: ${openMegabytes.toFixed(0)} MB (at rest ${restMegabytes.toFixed(0)} MB, ${kilobytesEach.toFixed(0)} kB each); wanted below ${MOST_MEGABYTES} MB\n`,
)
process.exit(met ? 0 : 1)
