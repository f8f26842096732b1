import { measureStreams } from './measure-streams.ts'

/**
 * `npm run proof:streams`: measures the memory of the service with 1,000 idle open streams. Takes about a minute.
 * `npm run proof:memory` measures the memory of large responses.
 */
const STREAMS = Number(process.env.STREAMS ?? 1000)
const MAX_MEGABYTES = 250
/** Longer than the interval at which the service checks whether subscribers are still authorized. */
const SETTLE_MS = 12_000

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const { idleMegabytes, openMegabytes, kilobytesEach } = await measureStreams(STREAMS, SETTLE_MS)
const met = openMegabytes < MAX_MEGABYTES
process.stdout.write(
  `${met ? '✔' : '✖'} ${STREAMS} open streams: ${openMegabytes.toFixed(0)} MB (idle ${idleMegabytes.toFixed(0)} MB, ${kilobytesEach.toFixed(0)} kB each); target: below ${MAX_MEGABYTES} MB\n`,
)
process.exit(met ? 0 : 1)
