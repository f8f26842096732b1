import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../../server/test/support/databases.ts'
import { runWords } from '../../test/run-words.ts'

describe('carabiner people', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-people-'))
  let database: TestDatabase
  let environment: Record<string, string>
  let organizationId: string
  before(async () => {
    database = await createTestDatabase('postgres')
    environment = { DATABASE_URL: database.url as string, KEY_FILE: join(folder, 'vault.key') }
    organizationId = ((await runWords(['org', 'create', 'Orbit'], environment)).data as { id: string }).id
  })
  after(async () => {
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const people = (...words: string[]) => runWords(['people', ...words], environment)

  it('invite: prints a link, and repeats for a person who has lost the password', async () => {
    const first = await people(
      'invite',
      'ana@example.com',
      '--organization',
      organizationId,
      '--role',
      'security',
    )
    assert.match(
      first.text,
      /^ana@example\.com is security of Orbit\. .*\n\n {2}http:\/\/localhost:4000\/dashboard\/sign-in#cb_in_/,
    )
    const again = await people('invite', 'Ana@example.com', '--organization', organizationId, '--operator')
    assert.match(again.text, /is admin of Orbit and operator of this installation/)
    assert.equal((first.data as { id: string }).id, (again.data as { id: string }).id)
    assert.notEqual(
      (first.data as { sign_in_url: string }).sign_in_url,
      (again.data as { sign_in_url: string }).sign_in_url,
    )
  })

  it('invite: is in the audit trail without the link', async () => {
    const { text } = await runWords(
      ['audit', 'list-all', '--organization', organizationId],
      environment,
      () => undefined,
    )
    assert.match(text, /person\.invited/)
    assert.ok(!text.includes('cb_in_'))
  })

  it('invite: explains what is missing or unknown', async () => {
    await assert.rejects(
      people('invite', 'ana'),
      /"ana" is not an email address[^]*carabiner people invite --help/,
    )
    await assert.rejects(people('invite', 'ana@example.com'), /Use --organization, --operator, or both/)
    await assert.rejects(
      people('invite', 'ana@example.com', '--organization', 'x'),
      /There is no organization x/,
    )
    await assert.rejects(
      people('invite', 'ana@example.com', '--operator', '--role', 'owner'),
      /Allowed choices are admin, developer, security, read_only/,
    )
    await assert.rejects(people('invite', 'ana@example.com', '--admin'), /Unknown option '--admin'/)
  })
})
