import { parseToolName } from '../../../server/src/features/tools/admission/tool-names.ts'
import { padPack, type SearchedPack, shippedPack } from './catalog-tools.ts'
import { everydayRequests, isAside, isKept, type LabelledRequest, labelledRequests } from './request-sets.ts'
import { measureQuality, measureTime, measureTokens, type Quality } from './run-search-bench.ts'

const aside = labelledRequests.filter(isAside)
const open = labelledRequests.filter((request, index) => !isAside(request, index))
const everyday = everydayRequests.filter(request => !isKept(request))
const kept = everydayRequests.filter(isKept)
const showMissed = process.argv.includes('--missed')
/** The kept half is not looked at while the search is being changed. */
const showKept = process.argv.includes('--kept')

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(8)
const row = (name: string, { requests, recallAt }: Quality): string =>
  `${name.padEnd(24)}${String(requests).padStart(4)} requests   recall at 1 ${percent(recallAt[1])}   at 5 ${percent(recallAt[5])}   at 10 ${percent(recallAt[10])}\n`
const number = new Intl.NumberFormat('en-US')

const report = async (name: string, pack: SearchedPack): Promise<void> => {
  const quality = (requests: LabelledRequest[]) => measureQuality(pack, requests)
  const seen = await quality(open)
  const asking = pack.tools.filter(({ name: tool }) => parseToolName(tool)?.tool === null).length
  const ofSandbox = pack.tools.filter(({ name: tool }) => tool.startsWith('sandbox-')).length
  process.stdout.write(
    `\n${name}: ${number.format(pack.tools.length - asking - ofSandbox)} tools, ${ofSandbox} of the sandbox, ${asking} that only request a link\n`,
  )
  process.stdout.write(row('  all', await quality(labelledRequests)))
  process.stdout.write(row('  used for tuning', seen))
  process.stdout.write(row('  kept aside', await quality(aside)))
  const seenEveryday = await quality(everyday)
  process.stdout.write(row('  everyday, for tuning', seenEveryday))
  if (showKept) process.stdout.write(row('  everyday, kept', await quality(kept)))
  const tokens = await measureTokens(pack, labelledRequests)
  process.stdout.write(
    `  list ${number.format(tokens.list)} tokens, served as search ${number.format(tokens.search)}, a result ${number.format(tokens.perSearch)} (estimated)\n`,
  )
  process.stdout.write(
    `  ${(await measureTime(pack, labelledRequests)).toFixed(2)} ms for a search (median)\n`,
  )
  if (showMissed)
    for (const { request, tools } of [...seen.missed, ...seenEveryday.missed])
      process.stdout.write(`  missed: ${request} → ${tools.join(', ')}\n`)
}

const shipped = shippedPack()
await report('Shipped connectors', shipped)
await report('Padded with invented tools', padPack(shipped, 1_000))
