import sharp from 'sharp'
import type { TestOrganization, TestService } from '../test-service.ts'
import { type HostileTools, startHostileTools } from './hostile-tools.ts'

/** `expected`: outcome of every request of the attack. */
export type Attack = { name: string; expected: string[]; run: (signal: AbortSignal) => Promise<string> }
export type Attacker = { attacks: Attack[]; server: HostileTools; stop(): Promise<void> }

const MAX_LOGO_SIDE = 2048

/** Prepares an organization that tries, with each kind of attack, to make the service unavailable to others. */
export const prepareAttacker = async (t: TestService): Promise<Attacker> => {
  const organization = await t.createOrganization('Attacker')
  const { key } = organization
  const server = await startHostileTools()
  const created = await t.call('POST', '/api/v1/connectors', {
    key,
    body: { slug: 'hostile', name: 'Hostile', url: server.url, tool_changes: 'auto' },
  })
  if (created.status !== 201) throw new Error(created.text)
  const user = await t.createUser({}, key)
  const noise = sharp({
    create: { width: MAX_LOGO_SIDE, height: MAX_LOGO_SIDE, channels: 3, background: '#345' },
  })
  const logo = await noise.png().toBuffer()
  const calling = (tool: string, args: object) => callOf(t, organization, user.id, tool, args)
  const many = Array.from({ length: 9_900 }, () => ({}))
  const tooMany = Array.from({ length: 86_000 }, () => ({}))
  let names = 0
  let patterns = 0

  const attacks: Attack[] = [
    {
      name: 'many patterns',
      expected: ['arguments_too_complex'],
      run: calling('patterns', { a: 'x'.repeat(4000) }),
    },
    {
      name: 'many alternatives',
      expected: ['arguments_too_complex'],
      run: calling('alternatives', { a: many }),
    },
    {
      name: 'arguments: too many values',
      expected: ['status 413'],
      run: calling('alternatives', { a: tooMany }),
    },
    {
      name: 'large arguments',
      expected: ['ok'],
      run: calling('echo', { text: 'harvest 2026. '.repeat(16_000) }),
    },
    ...['large', 'escapes', 'objects', 'keys', 'lists'].map(tool => ({
      name: `result: ${tool}`,
      expected: ['ok'],
      run: calling(tool, {}),
    })),
    { name: 'result: too many values', expected: ['third_party_error'], run: calling('too-many', {}) },
    {
      name: 'custom patterns',
      expected: ['200'],
      run: async () => {
        const custom_rules = Array.from({ length: 10 }, (_, n) => ({
          label: `RULE_${n}`,
          pattern: `${++patterns}[a-c]{2,16}[d-f]{16}[g-i]{16}[j-l]{16}[m-o]{16}`,
          inbound_action: 'log',
        }))
        return String((await t.call('PUT', '/api/v1/security-rules', { key, body: { custom_rules } })).status)
      },
    },
    {
      name: 'rule tester',
      expected: ['200'],
      run: async () => {
        const body = { text: 'ana@example.com '.repeat(60_000) }
        return String((await t.call('POST', '/api/v1/security-rules/test', { key, body })).status)
      },
    },
    {
      name: 'large list of tools',
      expected: ['200'],
      run: async () => {
        server.showLargeList(true)
        const answer = await t.call('POST', '/api/v1/connectors/hostile/tools/check', { key })
        server.showLargeList(false)
        return String(answer.status)
      },
    },
    {
      name: 'names that never resolve',
      expected: ['invalid_mcp_server'],
      run: async () => {
        const url = `https://n${++names}.hang.example/mcp`
        const body = { slug: `n${names}`, name: 'N', url }
        return codeOf((await t.call('POST', '/api/v1/connectors', { key, body })).body)
      },
    },
    { name: 'servers that never answer', expected: ['aborted'], run: calling('hang', {}) },
    {
      name: 'large images',
      expected: ['200'],
      run: async signal => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'image/png' }
        const url = `${t.baseUrl}/api/v1/link-customization/logo/light`
        const body = new Uint8Array(logo)
        const answer = await fetch(url, { method: 'PUT', headers, body, signal }).catch(() => null)
        return answer ? String(answer.status) : 'aborted'
      },
    },
  ]
  return { attacks, server, stop: () => server.stop() }
}

export const codeOf = (body: { error?: { code?: string } } | undefined): string => body?.error?.code ?? 'ok'

/** The body is serialized once, so that the work of the attacker is not measured. */
export const callOf = (
  t: TestService,
  { key, toolPackId }: TestOrganization,
  userId: string,
  tool: string,
  args: object,
): Attack['run'] => {
  const params = { name: `hostile__${tool}`, arguments: args }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const url = `${t.baseUrl}/api/v1/tool-packs/${toolPackId}/registered-users/${userId}/mcp`
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return async signal => {
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, signal })
      const { result } = (await answer.json()) as {
        result?: { structuredContent?: { error?: { code?: string } } }
      }
      return result ? codeOf(result.structuredContent) : `status ${answer.status}`
    } catch {
      return 'aborted'
    }
  }
}
