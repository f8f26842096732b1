import { measureHugeResponses } from '../support/huge/measure.ts'

/** `npm run proof:memory`: third parties that answer with a gigabyte, plain and zipped, to every kind of tool. A minute. */
const BYTES = 1024 * 1024 * 1024
const ROUNDS = Number(process.env.ROUNDS ?? 10)
const MOST_MB = 64

const { kinds, grownMb, ms } = await measureHugeResponses(BYTES, ROUNDS)
const uncut = Object.entries(kinds).filter(([, outcomes]) => outcomes.some(kind => kind !== 'failed'))
for (const [way] of Object.entries(kinds)) process.stdout.write(`${way}: 4 × ${ROUNDS} answers of 1 GB\n`)
process.stdout.write(`grown by ${grownMb} MB (at most ${MOST_MB}), ${ms} ms\n`)
for (const [way] of uncut) process.stdout.write(`not cut: ${way}\n`)
const failed = uncut.length + (grownMb < MOST_MB ? 0 : 1)
process.stdout.write(`${7 - failed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
