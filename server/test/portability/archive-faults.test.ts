import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { AuditedChange } from '../../src/core/audited-change.ts'
import { rotateKeys } from '../../src/features/credentials/rotation/rotate-keys.ts'
import { appendEntries } from '../../src/features/events/audit-trail.ts'
import { listChains, verifyChain } from '../../src/features/events/audit-verify.ts'
import { createOrganization } from '../../src/features/organizations/create-organization.ts'
import { deleteOrganization } from '../../src/features/portability/delete-organization.ts'
import { isFenced } from '../../src/features/portability/fence.ts'
import { importOrganization } from '../../src/features/portability/import-organization.ts'
import { ORGANIZATION_ARCHIVE } from '../../src/features/portability/organization-archive.ts'
import { FRAME_HEADER_LENGTH, magicOf } from '../../src/platform/archive/archive-format.ts'
import { verifyArchive } from '../../src/platform/archive/archive-reader.ts'
import { ArchiveRefusal } from '../../src/platform/archive/archive-refusal.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { generateVaultKey } from '../../src/platform/vault/key.ts'
import { fixedKeyRing, type VaultKeyRing } from '../../src/platform/vault/key-ring.ts'
import { openVault, type Vault } from '../../src/platform/vault/vault.ts'
import {
  dyingDatabase,
  exportToMemory,
  importFromMemory,
  newInstallationKey,
  openFromMemory,
  readOrganization,
  type TestArchive,
} from '../support/archives.ts'
import { createTestDatabase, type Engine, openTestDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { apiKeySecret, seedSealedUsers } from '../support/sealed-users.ts'

const MAGIC = magicOf(ORGANIZATION_ARCHIVE)

type Installation = { db: Database; vault: Vault; ring: VaultKeyRing; close: () => Promise<void> }

const openInstallation = async (engine: Engine = 'postgres'): Promise<Installation> => {
  const database = await createTestDatabase(engine)
  const db = await openTestDatabase(database)
  const ring = fixedKeyRing([generateVaultKey('development')], { production: false })
  const close = async () => {
    await db.close()
    await database.drop()
  }
  return { db, ring, vault: await openVault(db, ring), close }
}

/** Creates an organization whose archive has several chunks. */
const seed = async ({ db, vault }: Installation, name: string): Promise<string> => {
  const { organization } = await createOrganization({ db, vault }, name)
  const { id: organizationId } = organization
  await seedSealedUsers(
    { db, vault },
    { organizationId, users: 20, connectors: ['sandbox-vault'], secretOf: () => apiKeySecret('key') },
  )
  await runSql(
    db,
    `insert into events (organization_id, type, payload) select $1, 'test', jsonb_build_object('n', n) from generate_series(1, 2500) n`,
    [organizationId],
  )
  return organizationId
}

const changeOf = (organizationId: string): AuditedChange => ({
  organizationId,
  action: 'tool_pack.updated',
  target: { type: 'tool_pack', id: null },
  registeredUserId: null,
  actor: { type: 'system', id: 'test', hint: null },
  sender: { address: null, userAgent: null },
  requestId: 'test',
  changes: [],
})

/** The archive without its frames, and the frames. */
const split = ({ bytes }: TestArchive): { prefix: Buffer; frames: Buffer[] } => {
  let at = MAGIC.length + 4 + bytes.readUInt32BE(MAGIC.length)
  const prefix = bytes.subarray(0, at)
  const frames: Buffer[] = []
  while (at < bytes.length) {
    const end = at + FRAME_HEADER_LENGTH + bytes.readUInt32BE(at)
    frames.push(bytes.subarray(at, end))
    at = end
  }
  return { prefix, frames }
}

describe('archives of organizations', () => {
  let source: Installation
  let target: Installation
  let id: string
  let archive: TestArchive
  let rows: Record<string, string[]>
  before(async () => {
    ;[source, target] = [await openInstallation(), await openInstallation()]
    id = await seed(source, 'Orbit')
    archive = await exportToMemory(source, id)
    rows = await readOrganization(source.db, id)
  })
  after(async () => {
    await source.close()
    await target.close()
  })

  const stateIn = async ({ db }: Installation, organizationId = id) =>
    (
      await runSql<{ state: string }>(db, 'select state from organizations where id = $1', [organizationId])
    )[0]?.state ?? null
  const isRejected = async (bytes: Buffer, recipient = archive.recipient) => {
    await assert.rejects(importFromMemory(target, { bytes, recipient }), ArchiveRefusal)
    assert.equal(await stateIn(target), null)
  }
  const compare = async (installation: Installation) => {
    const { events, credentials, registered_users } = await readOrganization(installation.db, id)
    assert.deepEqual(
      { events, credentials, registered_users },
      {
        events: rows.events,
        credentials: rows.credentials,
        registered_users: rows.registered_users,
      },
    )
  }

  it('a truncated archive is rejected before anything is imported', async () => {
    const { prefix, frames } = split(archive)
    const beforeEnd = archive.bytes.length - (frames.at(-1)?.length ?? 0)
    const firstFrame = prefix.length + (frames[0]?.length ?? 0)
    const lengths = [
      0,
      MAGIC.length + 2,
      prefix.length - 5,
      prefix.length,
      prefix.length + 3,
      firstFrame - 1,
      firstFrame,
      beforeEnd,
      archive.bytes.length - 1,
    ]
    for (const length of lengths) await isRejected(archive.bytes.subarray(0, length))
    await isRejected(Buffer.concat([archive.bytes, Buffer.of(0)]))
  })

  it('an archive with one changed byte is rejected, wherever it is', async () => {
    const { prefix, frames } = split(archive)
    const firstFrame = prefix.length
    const lastFrame = archive.bytes.length - (frames.at(-1)?.length ?? 0)
    const positions = [
      3,
      MAGIC.length,
      MAGIC.length + 3,
      MAGIC.length + 10,
      archive.bytes.indexOf('Orbit'),
      archive.bytes.indexOf('key_id') + 12,
      firstFrame,
      firstFrame + 3,
      firstFrame + 4,
      firstFrame + FRAME_HEADER_LENGTH,
      firstFrame + FRAME_HEADER_LENGTH + 20,
      firstFrame + FRAME_HEADER_LENGTH + 55,
      Math.floor((firstFrame + lastFrame) / 2),
      lastFrame + 4,
      archive.bytes.length - 1,
    ]
    for (const position of positions) {
      const bytes = Buffer.from(archive.bytes)
      bytes[position] = (bytes[position] as number) ^ 1
      await isRejected(bytes)
    }
  })

  it('an archive with reordered, repeated, missing or foreign chunks is rejected', async () => {
    const { prefix, frames } = split(archive)
    const foreign = split(await exportToMemory(source, id, { recipient: archive.recipient })).frames
    const build = (...parts: (Buffer | undefined)[]) =>
      Buffer.concat([prefix, ...parts.map(part => part as Buffer)])
    const end = frames.at(-1)
    await isRejected(build(frames[1], frames[0], ...frames.slice(2)))
    await isRejected(build(frames[0], frames[0], ...frames.slice(1)))
    await isRejected(build(...frames.slice(1)))
    await isRejected(build(frames[0], frames[1], end))
    await isRejected(build(end))
    await isRejected(build(foreign[0], ...frames.slice(1)))
    await isRejected(build(...frames.slice(0, -1), foreign.at(-1)))
  })

  it('another installation cannot read the archive, not even if it claims the public key of the recipient', async () => {
    const other = newInstallationKey()
    await assert.rejects(
      importFromMemory(target, { ...archive, recipient: other }),
      /encrypted for another installation/,
    )
    await assert.rejects(
      importFromMemory(target, {
        ...archive,
        recipient: { ...other, publicKey: archive.recipient.publicKey },
      }),
      /encrypted with another key/,
    )
  })

  it('a signature of another installation, or of another archive, is not valid', async () => {
    const frames = async (deps: Installation) =>
      split(await exportToMemory(deps, id, { recipient: archive.recipient }))
    const opened = await openFromMemory(archive)
    assert.equal((await verifyArchive(opened)).signedBy, source.vault.installationKey.publicKey.text)
    const other = newInstallationKey()
    const impostor = { ...source.vault.installationKey, sign: (digest: Buffer) => other.sign(digest) }
    await assert.rejects(
      frames({ ...source, vault: { ...source.vault, installationKey: impostor } }).then(async forged =>
        verifyArchive(
          await openFromMemory({ ...archive, bytes: Buffer.concat([forged.prefix, ...forged.frames]) }),
        ),
      ),
      /its signature is not valid/,
    )
  })

  it('rows of a table that archives do not contain are rejected, such as members', async () => {
    const opened = await openFromMemory(archive)
    const { totals } = await verifyArchive(opened)
    const forged = {
      ...opened,
      archiveId: randomBytes(32),
      async *chunks() {
        yield { table: 'members', columns: ['organization_id'], lines: [`["${id}"]`], number: 0 }
        return { tables: {}, signedBy: null }
      },
    }
    await assert.rejects(
      importOrganization(target, forged, { totals, isSourceKnown: true }),
      /cannot contain rows of members/,
    )
    await deleteOrganization(target.db, id).catch(() => undefined)
    await runSql(target.db, 'delete from organization_imports')
  })

  it('the audit trail of an unknown installation stays marked as not verified, also after further entries', async () => {
    const own = await openInstallation()
    try {
      await importFromMemory(own, archive, { isSourceKnown: false })
      const read = async () => {
        const [chain] = await listChains(own.db, id)
        assert.ok(chain)
        return { chain, verdict: await verifyChain({ db: own.db, signer: own.vault.signer }, chain) }
      }
      const first = await read()
      assert.deepEqual(
        [first.verdict.problem, first.verdict.unverifiedUntil],
        [null, first.chain.sequence],
        'consistent, but not vouched for',
      )
      await own.db.transaction(tx =>
        appendEntries(tx, { signer: own.vault.signer, onBreak: () => assert.fail('the chain is intact') }, [
          { change: changeOf(id), outcome: 'done' },
        ]),
      )
      const later = await read()
      assert.equal(later.chain.sequence, first.chain.sequence + 1)
      assert.equal(later.verdict.unverifiedUntil, first.chain.sequence)
      await runSql(own.db, 'update audit_heads set unverified_until = null where organization_id = $1', [id])
      assert.equal((await read()).verdict.problem?.kind, 'forged', 'the mark is covered by the seal')
    } finally {
      await own.close()
    }
  })

  it('changes of the source during an export are not in the archive', async () => {
    // Bound to this context, because the export calls it inside its transaction.
    const change = AsyncResource.bind(async () => {
      await runSql(source.db, `delete from events where organization_id = $1 and payload->>'n' = '7'`, [id])
      await runSql(source.db, `update events set type = 'changed' where organization_id = $1`, [id])
      await runSql(source.db, `update organizations set name = 'Late' where id = $1`, [id])
    })
    const changed = await exportToMemory(source, id, {
      afterWrite: async count => {
        if (count === 1) await change()
      },
    })
    const earlier = await totalsOf(archive)
    assert.deepEqual(await totalsOf(changed), earlier)
    await runSql(source.db, `update organizations set name = 'Orbit' where id = $1`, [id])
    rows = await readOrganization(source.db, id)
    archive = await exportToMemory(source, id)
    assert.notDeepEqual(await totalsOf(archive), earlier)
  })
  const totalsOf = async (each: TestArchive) => (await verifyArchive(await openFromMemory(each))).totals

  it('an interrupted import is not served, and continues when it is repeated', async () => {
    const { frames } = split(archive)
    const rowChunks = frames.length - 1
    assert.ok(rowChunks > 8, `${rowChunks} chunks`)
    for (let stop = 1; stop <= rowChunks; stop++) {
      let chunks = 0
      const interrupted = importFromMemory(target, archive, {
        onProgress: () => {
          if (++chunks === stop) throw new Error('interrupted')
        },
      })
      await assert.rejects(interrupted, /interrupted/)
      assert.equal(await stateIn(target), 'arriving')
    }
    const { resumed } = await importFromMemory(target, archive)
    assert.equal(resumed, true)
    assert.equal(await stateIn(target), 'active')
    await compare(target)
    assert.deepEqual(await runSql(target.db, 'select * from organization_imports'), [])
  })

  it('two concurrent imports: the rows are imported once', async () => {
    await deleteOrganization(target.db, id)
    const results = await Promise.allSettled([
      importFromMemory(target, archive),
      importFromMemory(target, archive),
    ])
    for (const result of results)
      if (result.status === 'rejected') assert.match(String(result.reason), /ArchiveRefusal|ImportFailure/)
    if ((await stateIn(target)) !== 'active') await importFromMemory(target, archive)
    await compare(target)
  })

  it('an organization that exists is not replaced, and an import is continued with its own archive only', async () => {
    await assert.rejects(importFromMemory(target, archive), /Orbit .* exists already in this installation/)
    await assert.rejects(importFromMemory(source, archive), /exists already/)
    await compare(target)
    await deleteOrganization(target.db, id)
    await importFromMemory(target, archive, { staysArriving: true })
    const another = await exportToMemory(source, id)
    await assert.rejects(importFromMemory(target, another), /from another archive has begun/)
    await importFromMemory(target, archive)
    assert.equal(await stateIn(target), 'active')
    await deleteOrganization(target.db, id)
  })

  it('a routing code that another organization has is rejected', async () => {
    const { organization } = await createOrganization(target, 'Namesake')
    await runSql(target.db, 'update organizations set routing_code = $2 where id = $1', [
      organization.id,
      (await openFromMemory(archive)).header.organization.routing_code,
    ])
    await assert.rejects(importFromMemory(target, archive), /routing code .* belongs to Namesake/)
    assert.equal(await stateIn(target), null)
    await deleteOrganization(target.db, organization.id)
  })

  it('an archive of another schema is rejected, and the message says which installation to update', async () => {
    await runSql(
      target.db,
      `insert into schema_migrations (version, name, checksum, breaking) values (9999, '9999_new.sql', 'x', false)`,
    )
    await assert.rejects(
      importFromMemory(target, archive),
      /this installation has 9999_new\.sql. Update the source .* export the organization again/,
    )
    await runSql(target.db, 'delete from schema_migrations where version = 9999')
    await runSql(target.db, `update schema_migrations set checksum = 'x' where version = 1`)
    await assert.rejects(importFromMemory(target, archive), /Run the same version of Carabiner/)
    const [own] = await runSql<{ checksum: string }>(
      source.db,
      'select checksum from schema_migrations where version = 1',
    )
    await runSql(target.db, 'update schema_migrations set checksum = $1 where version = 1', [
      own?.checksum as string,
    ])
  })

  it('imports and rotations of keys exclude each other', async () => {
    await importFromMemory(target, archive, { staysArriving: true })
    const rotation = { db: target.db, keySource: { ring: target.ring } }
    await assert.rejects(rotateKeys(rotation), /is being imported, moved or deleted/)
    await deleteOrganization(target.db, id)
    // An import that was killed before it had created the organization.
    await runSql(
      target.db,
      `insert into organization_imports (organization_id, archive_id) values ($1, decode(repeat('00', 32), 'hex'))`,
      [id],
    )
    await assert.rejects(rotateKeys(rotation), /is being imported, moved or deleted/)
    assert.equal(await deleteOrganization(target.db, id), 1)
    await runSql(target.db, `insert into key_rotations (vault_key_id, users_total) values ('', 0)`)
    await assert.rejects(importFromMemory(target, archive), /keys of this installation are being rotated/)
    await runSql(source.db, `insert into key_rotations (vault_key_id, users_total) values ('', 0)`)
    await assert.rejects(deleteOrganization(source.db, id), /keys of this installation are being rotated/)
    await runSql(source.db, 'delete from key_rotations')
    await runSql(target.db, 'delete from key_rotations')
  })

  it('a deletion that is killed at any point is completed by the next one, and never leaves a fence alone', async () => {
    const { organization } = await createOrganization(target, 'Gone')
    const exists = async () =>
      (await runSql(target.db, 'select 1 from organizations where id = $1', [organization.id])).length > 0
    for (let left = 5; await exists(); left += 7) {
      await deleteOrganization(dyingDatabase(target.db, { left }), organization.id).catch(() => undefined)
      if (!(await exists())) assert.equal(await isFenced(target.db, organization.id), false)
    }
    const found = Object.entries(await readOrganization(target.db, organization.id))
    assert.deepEqual(
      found.filter(([, lines]) => lines.length > 0),
      [],
    )
    await assert.rejects(deleteOrganization(target.db, organization.id), /There is no organization/)
  })

  it('records are imported into the partitions of their periods, without those whose retention has ended', async () => {
    const insertRecord = (daysAgo: number, retention: number) =>
      runSql(
        source.db,
        `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id,
           started_at, retention_days)
         select $1, gen_random_uuid(), id, id, 'test', 'c', 't', 'success', 'r', app_now() - make_interval(days => $2), $3
         from registered_users where organization_id = $1 limit 1`,
        [id, daysAgo, retention],
      )
    for (const [daysAgo, retention] of [
      [1, 90],
      [60, 90],
      [80, 90],
      [200, 90],
      [200, 365],
      [500, 730],
    ] as const)
      await insertRecord(daysAgo, retention)
    const result = await importFromMemory(target, await exportToMemory(source, id))
    assert.equal(result.expiredRecords, 1)
    const parts = await runSql<{ part: string; days: number; age: number }>(
      target.db,
      `select tableoid::regclass::text as part, retention_days as days, extract(day from app_now() - started_at)::int as age
       from tool_calls where organization_id = $1 order by started_at desc`,
      [id],
    )
    assert.deepEqual(
      parts.map(({ age }) => age),
      [1, 60, 80, 200, 500],
    )
    for (const { part, days } of parts) assert.match(part, new RegExp(`^tool_calls_${days}_\\d{8}$`))
    await deleteOrganization(target.db, id)
  })

  it('an organization moves between the embedded database and PostgreSQL without a difference', async () => {
    const embedded = await openInstallation('pglite')
    try {
      await importFromMemory(embedded, archive)
      await compare(embedded)
      const back = await exportToMemory(embedded, id)
      assert.deepEqual(await totalsOf(back), await totalsOf(archive))
      await deleteOrganization(embedded.db, id)
      assert.equal(await stateIn(embedded), null)
    } finally {
      await embedded.close()
    }
  })

  it('a broken audit trail is exported only on request, and stays marked as broken', async () => {
    const own = await openInstallation()
    try {
      const organizationId = await seed(own, 'Tampered')
      await own.db.script(`alter table audit_entries disable trigger user;
        update audit_entries set actor_id = 'nobody' where organization_id = '${organizationId}' and sequence = 1;
        alter table audit_entries enable trigger user`)
      await assert.rejects(exportToMemory(own, organizationId), /broken at entry 1 \(changed\)/)
      const tampered = await exportToMemory(own, organizationId, { allowsBrokenAudit: true })
      await importFromMemory(target, tampered)
      const [chain] = await listChains(target.db, organizationId)
      assert.ok(chain)
      assert.equal(chain.brokenAt, 1)
      const { problem } = await verifyChain({ db: target.db, signer: target.vault.signer }, chain)
      assert.ok(problem)
      await runSql(target.db, 'update audit_heads set broken_at = null where organization_id = $1', [
        organizationId,
      ])
      const [unmarked] = await listChains(target.db, organizationId)
      assert.ok(
        unmarked && (await verifyChain({ db: target.db, signer: target.vault.signer }, unmarked)).problem,
      )
    } finally {
      await own.close()
    }
  })
})
