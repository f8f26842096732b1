import { measureHugeResponses } from '../support/huge/measure.ts'

/** `npm run proof:memory`: providers respond with 1 GB, plain and compressed, to every kind of tool. Takes a minute. */
const BYTES = 1024 * 1024 * 1024
const ROUNDS = Number(process.env.ROUNDS ?? 10)
const MAX_MB = 64

const { kinds, grownMb, ms } = await measureHugeResponses(BYTES, ROUNDS)
const notRejected = Object.entries(kinds).filter(([, outcomes]) => outcomes.some(kind => kind !== 'failed'))
for (const [kind] of Object.entries(kinds)) process.stdout.write(`${kind}: 4 × ${ROUNDS} answers of 1 GB\n`)
process.stdout.write(`grown by ${grownMb} MB (at most ${MAX_MB}), ${ms} ms\n`)
for (const [kind] of notRejected) process.stdout.write(`not rejected: ${kind}\n`)
const failed = notRejected.length + (grownMb < MAX_MB ? 0 : 1)
process.stdout.write(`${7 - failed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
