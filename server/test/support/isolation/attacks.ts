import sharp from 'sharp'
import type { TestOrganization, TestService } from '../test-service.ts'
import { type Client, startClient } from './client.ts'
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
  const client = startClient()
  const calling = (tool: string, args: object) => callOf(client, t, organization, user.id, tool, args)
  const manage = (method: string, path: string, signal: AbortSignal, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const url = `${t.baseUrl}/api/v1${path}`
    return client.send({ url, method, headers, ...(body && { body: JSON.stringify(body) }) }, signal)
  }
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
    ...['large', 'escapes', 'objects', 'keys', 'shapes', 'members', 'lists'].map(tool => ({
      name: `result: ${tool}`,
      expected: ['ok'],
      run: calling(tool, {}),
    })),
    { name: 'result: too many values', expected: ['third_party_error'], run: calling('too-many', {}) },
    {
      name: 'custom patterns',
      expected: ['200'],
      run: async signal => {
        const custom_rules = Array.from({ length: 10 }, (_, n) => ({
          label: `RULE_${n}`,
          pattern: `${++patterns}[a-c]{2,16}[d-f]{16}[g-i]{16}[j-l]{16}[m-o]{16}`,
          inbound_action: 'log',
        }))
        return statusOf(await manage('PUT', '/security-rules', signal, { custom_rules }))
      },
    },
    {
      name: 'rule tester',
      expected: ['200'],
      run: async signal => {
        const body = { text: 'ana@example.com '.repeat(60_000) }
        return statusOf(await manage('POST', '/security-rules/test', signal, body))
      },
    },
    {
      name: 'large list of tools',
      expected: ['200'],
      run: async signal => {
        server.showLargeList(true)
        const response = await manage('POST', '/connectors/hostile/tools/check', signal)
        server.showLargeList(false)
        return statusOf(response)
      },
    },
    {
      name: 'names that never resolve',
      expected: ['invalid_mcp_server'],
      run: async signal => {
        const url = `https://n${++names}.hang.example/mcp`
        const body = { slug: `n${names}`, name: 'N', url }
        const { code } = await manage('POST', '/connectors', signal, body)
        return code ?? 'aborted'
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
        return statusOf(await client.send({ url, method: 'PUT', headers, body }, signal))
      },
    },
  ]
  const stop = async (): Promise<void> => {
    await client.stop()
    await server.stop()
  }
  return { attacks, server, stop }
}

const statusOf = ({ status }: { status: number | null }): string =>
  status === null ? 'aborted' : String(status)

export const callOf = (
  client: Client,
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
    const { status, code } = await client.send({ url, method: 'POST', headers, body }, signal)
    if (status === null) return 'aborted'
    return status === 200 ? (code ?? 'ok') : `status ${status}`
  }
}
