import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import type { OrganizationState } from '../../src/core/organization-state.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import { credentialStore } from '../../src/features/credentials/credential-store.ts'
import type { HeldCredential } from '../../src/features/credentials/held-credential.ts'
import { endOverdueSecrets } from '../../src/features/credentials/pending-secrets.ts'
import { refreshCredential } from '../../src/features/credentials/refresh-credential.ts'
import { refreshIdle } from '../../src/features/credentials/refresh-idle.ts'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { rotateKeys } from '../../src/features/credentials/rotation/rotate-keys.ts'
import { VaultKeyError } from '../../src/platform/vault/key.ts'
import { addVaultKey } from '../../src/platform/vault/key-file.ts'
import { fileKeyRing } from '../../src/platform/vault/key-ring.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const APP = 'https://app.example.com'

describe('jobs and refreshes of an organization that is being moved', () => {
  let t: TestService
  let userId: string
  let held: HeldCredential
  const setState = (state: OrganizationState) =>
    t.query('update organizations set state = $1 where id = $2', [state, t.organization.id])
  before(async () => {
    t = await startTestService('postgres')
    await t.allowOrigin(APP)
    ;({ id: userId } = await t.createUser())
    await linkNotes(
      createBrowserUser(),
      (await t.mint(userId, { Connector: 'sandbox-notes' })).magic_link_url,
    )
    const [row] = await t.query<{ id: string }>('select id from credentials')
    const credential = await credentialStore.find(t.service.features.db, t.organization.id, row?.id as string)
    assert.ok(credential)
    held = {
      organizationId: t.organization.id,
      registeredUserId: userId,
      connectorSlug: 'sandbox-notes',
      credential,
    }
  })
  after(() => t.stop())
  afterEach(() => setState('active'))

  it('a refresh takes no lease and fails at once', async () => {
    const { features } = t.service
    for (const state of ['leaving', 'arriving'] as const) {
      await setState(state)
      await assert.rejects(refreshCredential(features, held), error =>
        isRefusal(error, 'organization_moving'),
      )
    }
    await setState('moved')
    await assert.rejects(refreshCredential(features, held), error => isRefusal(error, 'wrong_cell'))
    assert.deepEqual(await t.query('select lease_fence::integer as fence, version from credentials'), [
      { fence: 0, version: 1 },
    ])
    await setState('active')
    assert.equal((await refreshCredential(features, held)).usable, true)
  })

  it('idle credentials are not refreshed', async () => {
    const { features } = t.service
    await t.query(
      "update credentials set access_expires_at = app_now() - interval '1 day', updated_at = app_now() - interval '6 days'",
    )
    const versions = async () =>
      (await t.query('select version from credentials')).map(({ version }) => version)
    const [version] = await versions()
    await setState('leaving')
    await refreshIdle(features)
    assert.deepEqual(await versions(), [version])
    await setState('active')
    await refreshIdle(features)
    assert.deepEqual(await versions(), [version + 1])
  })

  it('expired codes are not ended, and tokens are not revoked', async () => {
    const { features } = t.service
    const { db } = features
    const minted = await t.mint(userId, { callback_url: `${APP}/cb`, state: 's', Connector: 'sandbox-notes' })
    await linkNotes(createBrowserUser(), minted.magic_link_url)
    await t.query("update pending_secrets set expires_at = app_now() - interval '1 minute'")
    await setState('leaving')
    assert.equal(await endOverdueSecrets(db), 0)
    await t.query('select revoke_credentials($1, $2, $3)', [t.organization.id, userId, 'user_deactivated'])
    await revokeDueTokens(features)
    const pending = await t.query('select attempts, outcome from revocations')
    assert.deepEqual(pending, [
      { attempts: 0, outcome: null },
      { attempts: 0, outcome: null },
    ])
    await setState('active')
    await revokeDueTokens(features)
    const outcomes = await t.query('select outcome from revocations')
    assert.deepEqual(outcomes, [{ outcome: 'revoked' }, { outcome: 'revoked' }])
  })

  it('an organization whose own connector has a slug of the catalog cannot arrive', async () => {
    await t.query(
      `insert into mcp_connectors (organization_id, id, slug, name, summary, source, url, authentication)
       values ($1, gen_random_uuid(), 'sandbox-vault', 'Own', '', 'custom', 'https://mcp.example.com', 'none')`,
      [t.organization.id],
    )
    await setState('arriving')
    await assert.rejects(
      setState('active'),
      /own connector "sandbox-vault" has the slug of a connector in the catalog/,
    )
    await t.query('delete from mcp_connectors')
    await setState('active')
  })

  it('keys are not rotated', async () => {
    const keySource = {
      ring: fileKeyRing(t.keyFile, { production: false }),
      add: () => addVaultKey(t.keyFile, 'development'),
    }
    for (const state of ['leaving', 'arriving'] as const) {
      await setState(state)
      await assert.rejects(rotateKeys({ db: t.service.features.db, keySource }), VaultKeyError)
    }
    await setState('active')
    assert.equal((await rotateKeys({ db: t.service.features.db, keySource })).unreadable.length, 0)
  })
})
