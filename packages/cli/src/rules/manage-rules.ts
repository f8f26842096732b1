import { withApi } from '../api/api-client.ts'
import { findPack } from '../api/find-pack.ts'
import type { SecurityRules, SecurityRulesTest, SecurityRulesTested, SecurityRulesWrite } from '../api/sdk.ts'
import type { CliContext } from '../program/cli-context.ts'
import { readJsonFile } from '../program/option-values.ts'
import { EXIT_REJECTED, type FailingOutput, type Output, UsageError } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

type PackOption = { pack?: string }

export const showRules = (context: CliContext, { pack }: PackOption): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const rules =
      pack === undefined
        ? await client.securityRules.get()
        : await client.securityRules.ofToolPack.get((await findPack(client, pack)).id)
    return { text: describeRules(context, rules), data: rules }
  })

const describeRules = ({ screen }: CliContext, { effective }: SecurityRules): string => {
  const rows = [
    ...Object.entries(effective.entities).map(([name, rule]) => ({ name, ...rule })),
    ...effective.custom_rules.map(rule => ({ name: rule.label, ...rule })),
  ].filter(rule => rule.inbound_action !== 'none' || rule.outbound_action !== 'none')
  const mode = effective.dry_run ? 'Dry run: matches are recorded, and nothing is changed.\n\n' : ''
  if (rows.length === 0) return `${mode}No rule has an action.`
  return `${mode}${table(
    rows,
    [
      { title: 'ENTITY', value: rule => rule.name },
      { title: 'ARGUMENTS (INBOUND)', value: rule => rule.inbound_action },
      { title: 'RESULTS (OUTBOUND)', value: rule => rule.outbound_action },
      { title: 'THRESHOLD', value: rule => ('threshold' in rule ? rule.threshold : '–') },
    ],
    screen,
  )}`
}

export type TestOptions = PackOption & { direction: 'inbound' | 'outbound'; rules?: string }

/** The text is an argument, or standard input. Exit code 3: a rule would block it. */
export const testRules = (
  context: CliContext,
  text: string,
  { pack, direction, rules }: TestOptions,
): Promise<FailingOutput> => {
  const own = rules === undefined ? undefined : (readJsonFile(rules) as SecurityRulesWrite)
  return withApi(context, async ({ client }) => {
    const request: SecurityRulesTest = {
      direction,
      text,
      ...(pack !== undefined && { tool_pack_id: (await findPack(client, pack)).id }),
      ...(own && { rules: own }),
    }
    const tested = await client.securityRules.test(request)
    const exitCode = tested.action === 'block' && !tested.dry_run ? { exitCode: EXIT_REJECTED } : {}
    return { text: describeTest(context, tested), data: tested, ...exitCode }
  })
}

const describeTest = ({ screen }: CliContext, tested: SecurityRulesTested): string => {
  const { action, dry_run, matches, redacted } = tested
  const verdict = `Action: ${action}${dry_run ? ' (dry run: nothing would be changed)' : ''}`
  if (matches.length === 0) return `No matches. ${verdict}`
  return [
    table(
      matches,
      [
        { title: 'ENTITY', value: match => match.entity },
        { title: 'AT', value: match => (match.start === undefined ? null : `${match.start}–${match.end}`) },
        { title: 'SCORE', value: match => match.score },
        { title: 'ACTION', value: match => match.action },
      ],
      screen,
    ),
    '',
    verdict,
    ...(typeof redacted !== 'string' ? [] : ['', redacted.split('\n').map(printable).join('\n')]),
  ].join('\n')
}

export type SetOptions = PackOption & { replace?: boolean; remove?: boolean }

export const setRules = (
  context: CliContext,
  file: string | undefined,
  options: SetOptions,
): Promise<Output> => {
  const { pack, replace, remove } = options
  if (remove ? pack === undefined || file !== undefined : file === undefined)
    throw new UsageError('Use a file with rules, or --remove with --pack.')
  const body = file === undefined ? {} : (readJsonFile(file) as SecurityRulesWrite)
  return withApi(context, async ({ client }) => {
    const { securityRules } = client
    if (pack === undefined) {
      const rules = await (replace ? securityRules.replace(body) : securityRules.update(body))
      return { text: describeRules(context, rules), data: rules }
    }
    const { id } = await findPack(client, pack)
    if (!remove) {
      const rules = await securityRules.ofToolPack.replace(id, body)
      return { text: describeRules(context, rules), data: rules }
    }
    await securityRules.ofToolPack.remove(id)
    return { text: 'The rules of the organization apply to the Tool Pack again.', data: { tool_pack_id: id } }
  })
}
