import { listChains, verifyChain } from '../../../src/features/events/audit-verify.ts'
import { isFenced } from '../../../src/features/portability/fence.ts'
import { readOrganization } from '../archives.ts'
import type { TestService } from '../test-service.ts'
import type { CellName } from '../two-cells.ts'
import type { Load } from './load.ts'
import type { MoveStage } from './move-stage.ts'

/** What is wrong after a move under load. The load was stopped. */
export const findViolations = async (stage: MoveStage, load: Load, owner: CellName): Promise<string[]> => {
  const [t, other] = [stage.cells[owner], stage.cells[owner === 'a' ? 'b' : 'a']]
  return [
    ...load.unexpected,
    ...(await findLostWrites(stage, load, t)),
    ...(await findLostTokens(stage, load, t)),
    ...(await checkUsage(stage, load, t)),
    ...(await checkAudit(stage, t)),
    ...(await findLeftovers(stage, other)),
  ]
}

/** Every acknowledged write exists exactly once. */
const findLostWrites = async (stage: MoveStage, load: Load, t: TestService): Promise<string[]> => {
  const { users, calls, confirmed, links } = load.acknowledged
  const missing = async (what: string, sql: string, ids: string[]): Promise<string[]> => {
    const rows = await t.query<{ id: string }>(sql, [stage.organization.id, ids])
    const times = new Map<string, number>()
    for (const { id } of rows) times.set(id, (times.get(id) ?? 0) + 1)
    return ids
      .filter(id => times.get(id) !== 1)
      .map(id => `${what} ${id} is stored ${times.get(id) ?? 0} times`)
  }
  const [row] = await t.query('select count(*) as sessions from link_sessions where organization_id = $1', [
    stage.organization.id,
  ])
  return [
    ...(await missing(
      'user',
      'select id from registered_users where organization_id = $1 and id = any($2::uuid[])',
      users,
    )),
    ...(await missing(
      'call',
      'select request_id as id from tool_calls where organization_id = $1 and request_id = any($2::text[])',
      calls,
    )),
    ...(await missing(
      'confirmed credential of',
      `select registered_user_id as id from credentials where organization_id = $1 and registered_user_id = any($2::uuid[])
         and connector_slug = 'sandbox-notes' and status = 'active'`,
      confirmed,
    )),
    ...(row.sessions < links ? [`${links} links were minted, and ${row.sessions} sessions exist`] : []),
  ]
}

/** A refresh token that is used twice, or lost, ends its family: the provider rejects the next refresh. */
const findLostTokens = async (stage: MoveStage, load: Load, t: TestService): Promise<string[]> => {
  const rejected = stage.sandbox.ledger.filter(
    ({ kind, outcome }) => kind === 'refresh' && outcome !== 'ok',
  ).length
  const inactive = await t.query(
    `select registered_user_id, status, status_reason from credentials where organization_id = $1 and status <> 'active'`,
    [stage.organization.id],
  )
  const { key, toolPackId: packId } = stage.organization
  const problems: string[] = []
  for (const userId of stage.linkedUsers) {
    const call = { name: 'sandbox-notes__list_notes', arguments: {} }
    const { status, text, body, headers } = await t.mcp(userId, 'tools/call', call, { key, packId })
    if (status === 200 && body.result?.isError === false)
      load.acknowledged.calls.push(headers.get('x-request-id') as string)
    else problems.push(`user ${userId} cannot call any more: ${status} ${text.slice(0, 300)}`)
  }
  return [
    ...problems,
    ...(rejected > 0 ? [`the provider rejected ${rejected} refreshes`] : []),
    ...inactive.map(
      row => `the credential of ${row.registered_user_id} is ${row.status}: ${row.status_reason}`,
    ),
  ]
}

/** Records, usage and the answers of the clients agree. */
const checkUsage = async (stage: MoveStage, load: Load, t: TestService): Promise<string[]> => {
  const { body } = await t.call('GET', '/api/v1/usage?group_by=tool', { key: stage.organization.key })
  const usage = body.data.find(({ tool }: { tool: string }) => tool === 'list_notes')
  const [records] = await t.query(
    `select count(*) as calls, count(*) filter (where counted) as counted, count(*) filter (where outcome = 'error') as errors,
       count(*) filter (where outcome = 'unknown') as unknown, count(*) filter (where outcome = 'success') as successes
     from tool_calls where organization_id = $1 and tool = 'list_notes'`,
    [stage.organization.id],
  )
  const problems = (['calls', 'counted', 'errors', 'unknown'] as const)
    .filter(name => usage[name] !== records[name])
    .map(name => `usage has ${usage[name]} ${name}, and there are ${records[name]} records`)
  const successes = load.acknowledged.calls.length
  if (records.successes !== successes)
    problems.push(`${successes} calls were acknowledged, and ${records.successes} are recorded`)
  return problems
}

const checkAudit = async (stage: MoveStage, { service: { features } }: TestService): Promise<string[]> => {
  const [chain] = await listChains(features.db, stage.organization.id)
  if (!chain) return ['there is no audit trail']
  const { problem } = await verifyChain({ db: features.db, signer: features.vault.signer }, chain)
  return problem ? [`the audit trail is broken at entry ${problem.sequence}: ${problem.kind}`] : []
}

const findLeftovers = async (stage: MoveStage, { service: { features } }: TestService): Promise<string[]> => {
  const { id } = stage.organization
  const left = Object.entries(await readOrganization(features.db, id))
    .filter(([, rows]) => rows.length > 0)
    .map(([table, rows]) => `${rows.length} rows of ${table} are left in the other cell`)
  return (await isFenced(features.db, id)) ? [...left, 'the other cell has a fence'] : left
}
