import assert from 'node:assert/strict'
import { request } from 'undici'

/** An installation under test. */
export type Installation = {
  /** Runs the operator's command line, and returns its output. */
  cli: (...words: string[]) => string
  /** The address of the service without its proxy. */
  origin: string
  /** BASE_URL. */
  publicUrl: string
}

const EMAIL = 'ana@example.com'
/** Checks of files and packages that an incomplete installation lacks. */
const INSTALLED = ['dashboard', 'documentation', 'sign-in library']

/** Follows the end of every installation guide: an organization, an invitation, and a member in the dashboard. */
export const signInFirstMember = async ({ cli, origin, publicUrl }: Installation): Promise<void> => {
  const send = (method: 'GET' | 'POST', path: string, headers: Record<string, string> = {}, body?: string) =>
    request(`${origin}${path}`, {
      method,
      // As a proxy that terminates TLS forwards it.
      headers: { host: new URL(publicUrl).host, 'x-forwarded-proto': 'https', ...headers },
      body: body ?? null,
    })
  const organization = JSON.parse(cli('org', 'create', 'Orbit', '--json')) as { id: string }
  const invited = JSON.parse(cli('people', 'invite', EMAIL, '--organization', organization.id, '--json')) as {
    sign_in_url: string
  }
  assert.ok(invited.sign_in_url.startsWith(`${publicUrl}/dashboard/`), invited.sign_in_url)
  const token = invited.sign_in_url.slice(invited.sign_in_url.indexOf('#') + 1)
  const signedIn = await send(
    'POST',
    '/dashboard/sign-in-link',
    { origin: publicUrl, 'content-type': 'application/json' },
    JSON.stringify({ token }),
  )
  assert.equal(signedIn.statusCode, 204, await signedIn.body.text())
  const cookie = [signedIn.headers['set-cookie'] ?? []]
    .flat()
    .map(each => each.split(';', 1)[0])
    .join('; ')

  const session = await send('GET', '/dashboard/session', { cookie })
  assert.equal(session.statusCode, 200, await session.body.text().catch(String))
  const page = await send('GET', '/dashboard', { cookie, accept: 'text/html' })
  const html = await page.body.text()
  assert.equal(page.statusCode, 200, html)
  const [, script = ''] = /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(html) ?? []
  const asset = await send('GET', script)
  assert.equal(asset.statusCode, 200, `${script} of the dashboard`)
  await asset.body.dump()
  const docs = await send('GET', '/docs', { accept: 'text/html' })
  assert.equal(docs.statusCode, 200, await docs.body.text().catch(String))
}

/** What the doctor reports about the files of the installation. */
export const findMissingFiles = (report: string): string[] =>
  (JSON.parse(report) as { checks: { check: string; status: string; found: string }[] }).checks
    .filter(({ check, status }) => INSTALLED.includes(check) && status !== 'ok')
    .map(({ check, found }) => `${check}: ${found}`)
