import { hashToken, parseToken, type Token } from '../../../server/src/core/token.ts'
import { newUuid } from '../../../server/src/core/uuid.ts'
import { unsealSecret } from '../../../server/src/features/credentials/credential-secret.ts'
import { admissionStore } from '../../../server/src/features/tools/admission/admission-store.ts'
import { settlementStore } from '../../../server/src/features/tools/admission/settlement-store.ts'
import { parseRpc } from '../../../server/src/features/tools/mcp-protocol/json-rpc.ts'
import { createScrubber } from '../../../server/src/features/tools/results/scrub-secrets.ts'
import { INLINE_BUDGET } from '../../../server/src/features/upstream/json-schema/check.ts'
import { prepareArgumentCheck } from '../../../server/src/features/upstream/json-schema/parse-schema.ts'
import { callMcpTool } from '../../../server/src/features/upstream/mcp-client/call-mcp-tool.ts'
import { createMcpSessions } from '../../../server/src/features/upstream/mcp-client/sessions.ts'
import { createBatchedQueries } from '../../../server/src/platform/database/batched-queries.ts'
import { allowLoopback, createEgress } from '../../../server/src/platform/egress/egress.ts'
import { median } from '../figures.ts'
import { table } from '../table.ts'
import { openVaultOf } from './callers.ts'
import { MCP_SLUG } from './gateway.ts'
import { statelessRequest } from './mcp-request.ts'
import { openMcpStage, SHARED_AUTHORIZATION } from './mcp-stage.ts'

export type Step = { name: string; microseconds: number }

const TIMES = 500

/** Measures the service's functions one by one, in the environment of the bench. */
export const measureSteps = async (): Promise<Step[]> => {
  const stage = await openMcpStage({ withPeers: false, withRamDisk: false })
  const egress = createEgress({ [allowLoopback]: true })
  const sessions = createMcpSessions()
  try {
    const { gateway } = stage
    const { db } = gateway
    const batched = createBatchedQueries(db)
    const vault = await openVaultOf(db, gateway.installation)
    const args = { text: 'hello from the bench' }
    const request = statelessRequest('tools/call', { name: `${MCP_SLUG}__echo`, arguments: args }, 'Bearer x')
    const key = parseToken('productionKey', gateway.key) as Token
    const [, , , , toolPackId = ''] = (gateway.paths[0] ?? '').split('/')
    const caller = { keyHash: hashToken(key), registeredUserId: gateway.userIds[0] as string, toolPackId }
    const admit = (id: string) =>
      admissionStore.admitMcp(
        batched,
        caller,
        {
          callId: id,
          connectorSlug: MCP_SLUG,
          tool: 'echo',
          account: null,
          requestId: 'req_bench',
          slot: 0,
          traceId: null,
        },
        { requestsLink: false, inCatalog: false },
      )
    const admission = await admit(newUuid())
    const { server, toolDefinition: tool, credential } = admission ?? {}
    if (!admission || !server || !tool || !credential) throw new Error('the call was not admitted')
    const { organizationId, userId: registeredUserId } = admission
    const owner = {
      organizationId,
      registeredUserId,
      connectorSlug: MCP_SLUG,
      secretId: credential.secretId,
    }
    const check = prepareArgumentCheck(tool.inputSchema)
    const target = {
      url: server.url,
      headers: { authorization: SHARED_AUTHORIZATION },
      revision: server.revision,
      name: server.name,
      sessionKey: 'bench',
    }
    const result = await callMcpTool({ egress, sessions }, target, tool, args)
    const admitted: string[] = []
    const admitOne = async (): Promise<void> => {
      const id = newUuid()
      await admit(id)
      admitted.push(id)
    }
    const settleOne = (): Promise<unknown> =>
      settlementStore.settleUnheld(
        batched,
        { organizationId, registeredUserId, callId: admitted.pop() ?? '', keyHash: Buffer.alloc(32) },
        { outcome: 'success', errorCode: null, endedAtStep: null, thirdPartyMs: 1, carriedOut: true },
      )
    return [
      await time('parse the request', () => parseRpc(JSON.parse(request.body))),
      await time('admit: one statement', admitOne),
      await time('settle: one statement', settleOne),
      await time('check the arguments', () => check(args, INLINE_BUDGET)),
      await time('open the credential', async () => {
        const userKey = await vault.openUserKey(organizationId, registeredUserId, admission.userKey)
        unsealSecret(userKey, owner, credential.sealed as Buffer)
      }),
      await time('call the upstream', () => callMcpTool({ egress, sessions }, target, tool, args)),
      await time('scrub and serialize the result', () =>
        JSON.stringify(createScrubber(['bench-secret'])(result)),
      ),
    ]
  } finally {
    await sessions.stop()
    await egress.close()
    await stage.close()
  }
}

const time = async (name: string, work: () => unknown): Promise<Step> => {
  const durations: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const startedAt = performance.now()
    await work()
    durations.push(performance.now() - startedAt)
  }
  return { name, microseconds: median(durations) * 1000 }
}

export const stepsReport = (steps: Step[]): string =>
  table([
    ['step of tools/call', 'median µs'],
    ...steps.map(({ name, microseconds }) => [name, microseconds.toFixed(microseconds < 10 ? 1 : 0)]),
  ])
