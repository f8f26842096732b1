import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { client, get, link, post, redirectUri, refresh } from './oauth-client.ts'

describe('the sandbox as a process', () => {
  it('prints only its address, and stops on a signal', async () => {
    const main = new URL('../src/main.ts', import.meta.url).pathname
    const { id, secret } = client
    const flags = [
      '--port=0',
      `--redirect-uri=${redirectUri}`,
      `--client-id=${id}`,
      `--client-secret=${secret}`,
    ]
    const child = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    child.stdout.on('data', chunk => (printed += chunk))
    child.stderr.on('data', chunk => (printed += chunk))
    while (!printed.includes('\n')) await once(child.stdout, 'data')
    const url = /listening on (http:\/\/localhost:\d+)/.exec(printed)?.[1] ?? ''

    const tokens = await link({ url }, { extra: { scope: 'openid profile email offline_access notes:read' } })
    await get(`${url}/oauth/userinfo`, tokens.access_token)
    await refresh(url, tokens.refresh_token)
    await refresh(url, tokens.refresh_token)
    await post(`${url}/oauth/revoke`, { token: 'unknown' })
    await get(`${url}/oauth/authorize`)
    await get(`${url}/.well-known/openid-configuration`)

    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    assert.equal(printed, `sandbox listening on ${url}\n`)
  })
})
