import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE } from '../../../src/core/duration.ts'
import { newUuid } from '../../../src/core/uuid.ts'
import { endApprovals } from '../../../src/features/approvals/end-approvals.ts'
import { eventually } from '../eventually.ts'
import { NOTES } from '../notes-fleet.ts'
import { type Node, post } from '../processes.ts'
import { sendRawRequest, statelessRequest } from '../raw-mcp.ts'
import { openRefreshStage } from '../refresh/stage.ts'
import { TASKS } from './bank.ts'

export type KilledCalls = {
  kills: number
  /** By the status in which the approval has ended. */
  ends: Record<string, number>
  carriedOutTwice: number
  /** Approved calls that the provider has not received and that do not end as `unknown`. */
  lost: number
  problems: string[]
}

/** `asTasks`: the caller takes tasks, so a process makes the call without a connection. `fromCode`: the caller uses no MCP. */
type Options = { onProgress?: (done: KilledCalls) => void; asTasks?: boolean; fromCode?: boolean }

/**
 * Approves calls, and kills the process that makes one at a random moment between decision and result. The caller then repeats the call at the
 * other process, or waits for its task there. The ledger of the provider says how often it was carried out.
 */
export const killDuringCalls = async (
  kills: number,
  { onProgress = () => undefined, asTasks = false, fromCode = false }: Options = {},
): Promise<KilledCalls> => {
  const stage = await openRefreshStage({ nodes: 2 })
  const done: KilledCalls = { kills: 0, ends: {}, carriedOutTwice: 0, lost: 0, problems: [] }
  try {
    const { fleet, sandbox, db } = stage
    const nodes = [...stage.nodes] as [Node, Node]
    const userId = await stage.linkUser()
    const [pack] = await stage.query<{ id: string; organization_id: string }>(
      'select id, organization_id from tool_packs',
    )
    if (!pack) throw new Error('the demo has a Tool Pack')
    // Policies are changed with a production key, which the demo's test key is not.
    const [member] = await stage.query<{ person_id: string }>(
      `select person_id from members where organization_id = $1 and role = 'admin' and accepted_at is not null`,
      [pack.organization_id],
    )
    if (!member) throw new Error('the demo has an administrator')
    await stage.query(
      `insert into policy_rules (organization_id, id, name, effect, tools, made_by) values ($1, $2, 'Notes', 'ask', $3, 'person')`,
      [pack.organization_id, newUuid(), [`${NOTES}__create_note`]],
    )
    const urlOf = ({ baseUrl }: Node) =>
      `${baseUrl}/api/v1/tool-packs/${pack.id}/registered-users/${userId}/mcp`
    const paramsOf = (title: string) => ({
      name: `${NOTES}__create_note`,
      arguments: { title, text: 'Once' },
    })
    const send = async (node: Node, method: string, params: Record<string, unknown>) =>
      (await sendRawRequest(urlOf(node), fleet.key, statelessRequest(method, params, TASKS))).messages[0]
        ?.result
    const call = (node: Node, title: string) =>
      fromCode
        ? post(`${node.baseUrl}/api/v1/tool-calls`, fleet.key, {
            registered_user_id: userId,
            tool_pack_id: pack.id,
            ...paramsOf(title),
          })
        : post(urlOf(node), fleet.key, {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: paramsOf(title),
          })
    /** Returns the ID of the approval, and of the task if there is one. */
    const ask = async (node: Node, title: string): Promise<{ id?: string; taskId?: string }> => {
      if (fromCode) return { id: (await call(node, title)).body.approval_meta?.approval_id }
      if (!asTasks) return { id: (await call(node, title)).body.result?.structuredContent?.approval_id }
      const { taskId } = await send(node, 'tools/call', paramsOf(title))
      const [row] = await stage.query<{ id: string }>(
        'select approval_id as id from tool_tasks where id = $1',
        [taskId],
      )
      return { ...row, taskId }
    }
    /** The caller polls, which wakes the processes, until the process is killed. */
    const poll = async (node: Node, taskId: string): Promise<never> => {
      for (;;) await send(node, 'tasks/get', { taskId })
    }
    const untilCompleted = (node: Node, taskId: string) =>
      eventually(async () => {
        const { status } = await send(node, 'tasks/get', { taskId })
        if (status !== 'completed') throw new Error(`task ${taskId} is ${status}`)
      })
    const created = () =>
      sandbox.ledger.filter(({ kind, outcome }) => kind === 'notes.create' && outcome === 'ok').length

    for (let kill = 0; kill < kills; kill++) {
      const [victim, other] = kill % 2 === 0 ? nodes : nodes.toReversed()
      const title = `Note ${kill}`
      const { id, taskId } = await ask(other as Node, title)
      if (id === undefined) {
        done.problems.push(`${title} was not asked about`)
        break
      }
      await stage.query(
        `with decided as (
           update approvals set status = 'approved', decided_at = app_now(), expires_at = app_now() + interval '${asTasks ? 60 : 5} minutes'
           where id = $1 returning organization_id, id)
         insert into approval_decisions (organization_id, approval_id, decider, decision, person_id)
         select organization_id, id, 'members', 'approve', $2 from decided`,
        [id, member.person_id],
      )
      const before = created()
      // A slow provider, so that kills also hit the time between its work and its response.
      sandbox.script({ target: 'notes', behavior: 'late', delay_ms: 30 })
      const calling = (taskId ? poll(victim as Node, taskId) : call(victim as Node, title)).catch(() => null)
      await delay(Math.random() * 90)
      await (victim as Node).kill('SIGKILL')
      await calling
      sandbox.clearFaults()
      done.kills++
      // A call that the other process makes ends before its record is taken away.
      if (taskId) await delay(300)
      else await call(other as Node, title)
      await stage.moveClock(6 * MINUTE)
      await stage.query('delete from calls_in_flight')
      await endApprovals(db)
      if (taskId) await untilCompleted(other as Node, taskId)
      const [ended] = await stage.query<{ status: string }>('select status from approvals where id = $1', [
        id,
      ])
      const status = ended?.status ?? 'missing'
      const times = created() - before
      done.ends[status] = (done.ends[status] ?? 0) + 1
      if (times > 1) done.carriedOutTwice++
      if (times === 0 && status !== 'unknown') done.lost++
      nodes[nodes.indexOf(victim as Node)] = await fleet.start()
      onProgress(done)
    }
    return done
  } finally {
    await stage.close()
  }
}
