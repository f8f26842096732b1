import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { notifyMembers } from '../../src/features/approvals/notify-members.ts'
import { openSignInLink, type PersonSession, signInPerson } from '../support/person-session.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

describe('messages to members by email', () => {
  const mails: { from: string; to: string[]; text: string }[] = []
  let isRejecting = false
  let server: SMTPServer
  let t: TestService
  before(async () => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_address, _session, done) =>
        done(isRejecting ? new Error('mailbox unavailable') : undefined),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            // Quoted-printable: a soft line break ends with "=".
            text: Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '='),
          })
          done()
        })
      },
    })
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.server.address() as AddressInfo
    t = await startTestService('postgres', {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'Carabiner <no-reply@example.com>',
    })
  })
  after(async () => {
    await t.stop()
    await new Promise<void>(resolve => server.close(resolve))
  })
  const inviteAs = (admin: PersonSession, email: string) =>
    admin.call('POST', '/api/v1/members', { body: { email, role: 'developer' } })
  const invite = async (email: string) => inviteAs(await signInPerson(t, { role: 'admin' }), email)
  const lastLink = (): string => /http\S+cb_in_\w+/.exec(mails.at(-1)?.text ?? '')?.[0] ?? ''

  it('an invitation is sent, and the link in it signs in', async () => {
    const { body } = await invite('nora@example.com')
    assert.deepEqual([body.mailed, body.sign_in_url, body.sign_in_url_expires_at], [true, null, null])
    const [mail] = mails
    assert.deepEqual([mail?.from, mail?.to], ['no-reply@example.com', ['nora@example.com']])
    const opened = await openSignInLink(t, lastLink())
    assert.equal(opened.status, 204, opened.text)

    const other = await t.createOrganization('Kepler')
    const admin = await signInPerson(t, { role: 'admin', organizationId: other.id })
    const again = await inviteAs(admin, 'nora@example.com')
    assert.deepEqual([again.status, again.body.sign_in_url, again.body.mailed], [201, null, true])
    assert.equal((await openSignInLink(t, lastLink())).body.error.code, 'account_exists')
  })

  it('a mailed link proves the address and ends what an administrator has set up as the person', async () => {
    isRejecting = true
    const invited = (await invite('paula@example.com')).body
    assert.equal((await openSignInLink(t, invited.sign_in_url)).status, 204)
    isRejecting = false
    const other = await t.createOrganization('Vega')
    await inviteAs(await signInPerson(t, { role: 'admin', organizationId: other.id }), 'paula@example.com')
    assert.equal((await openSignInLink(t, lastLink())).status, 204)
    const sessions = await t.query(
      'select p.email_verified, count(*)::integer as sessions from people p join people_sessions s on s.user_id = p.id where p.id = $1 group by 1',
      [invited.id],
    )
    assert.deepEqual(sessions, [{ email_verified: true, sessions: 1 }])
  })

  it('if the mail server rejects the address, the link is returned instead', async () => {
    isRejecting = true
    const { body } = await invite('gone@example.com')
    assert.equal(body.mailed, false)
    assert.match(body.sign_in_url, /#cb_in_/)
    assert.ok(!t.logLines.some(line => line.includes('cb_in_')), 'the log contains no link')
  })

  it('members who can decide are told that calls wait, at most every ten minutes, without a word about the calls [approval.who]', async () => {
    isRejecting = false
    mails.length = 0
    const organization = await t.createOrganization('Altair')
    const own = { organizationId: organization.id }
    const security = await signInPerson(t, { role: 'security', ...own })
    await signInPerson(t, { role: 'read_only', ...own })
    const { email } =
      (await t.query<{ email: string }>('select email from people where id = $1', [security.id]))[0] ?? {}
    const user = await t.createUser({}, organization.key)
    const ask = (approvers: string[]) =>
      t.query(
        `insert into approvals (organization_id, id, registered_user_id, mode, tool_pack_id, connector_slug, tool, caller_type, caller_id, rules,
           call_hash, is_destructive, digest, expires_at)
         values ($1, gen_random_uuid(), $2, 'production', $3, 'secret-connector', 'secret-tool', 'api_key', '1', $4,
           gen_random_uuid()::text::bytea, true, '', app_now() + interval '15 minutes')`,
        [
          organization.id,
          user.id,
          organization.toolPackId,
          JSON.stringify([{ name: 'R', reason: null, approvers }]),
        ],
      )
    const notify = () => notifyMembers({ ...t.service.features, baseUrl: t.baseUrl })
    await ask([user.id])
    await notify()
    assert.equal(mails.length, 0, 'only a user decides')
    await ask(['members'])
    await ask(['members', user.id])
    await Promise.all([notify(), notify()])
    assert.deepEqual(
      mails.map(({ to }) => to),
      [[email]],
    )
    const [{ text } = assert.fail()] = mails
    assert.match(text, /Subject: 2 calls wait for approval at Altair/)
    assert.ok(text.includes(`/dashboard/o/${organization.id}/production/approvals`))
    assert.doesNotMatch(text, /secret-/)
    await ask(['members'])
    await notify()
    assert.equal(mails.length, 1, 'within ten minutes')
    await t.query(
      `update approvals set notified_at = notified_at - interval '11 minutes' where organization_id = $1`,
      [organization.id],
    )
    await notify()
    assert.equal(mails.length, 2)
  })
})
