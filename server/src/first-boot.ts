import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Sandbox } from '@carabiner/sandbox'
import type { Secret } from './core/secret.ts'
import { parseToken } from './core/token.ts'
import { patchPack } from './features/connectors/tool-packs/save-tool-pack.ts'
import { demoConnectionStore } from './features/credentials/demo-connection-store.ts'
import { createOrganization } from './features/organizations/create-organization.ts'
import { organizationStore } from './features/organizations/organization-store.ts'
import { createUser } from './features/registered-users/save-user.ts'
import { demoViolationsStore } from './features/rules/demo-violations-store.ts'
import { demoHistoryStore } from './features/tools/demo/demo-history-store.ts'
import type { Features } from './features.ts'
import type { Config } from './platform/config.ts'

export type Demo = {
  organization_id: string
  organization_name: string
  test_key: string
  registered_user_id: string
  registered_user_name: string
  tool_pack_id: string
}

/** `productionKey` is available only at the start that created the organization, and is stored nowhere. */
export type BootedDemo = Demo & { productionKey: Secret | null }

const ORGANIZATION_NAME = 'Orbit'
const USER_NAME = 'Ana Ruiz'
const OTHER_USERS = ['Ben Okafor', 'Chloe Martin', 'Dao Nguyen', 'Elif Kaya']
/** Origins of the React quickstart and of the examples, so that their pages may embed Link from the first start. */
const EXAMPLE_ORIGINS = [
  'http://localhost:5173',
  'http://localhost:5300',
  'http://localhost:5301',
  'http://localhost:5302',
]
const SANDBOX_PREFIX = 'sandbox-'

/**
 * Development only: creates a demo organization. Its test key is stored beside the vault key, readable by its owner
 * only, so that every start can print the same command.
 */
export const ensureDemo = async (
  config: Config,
  features: Features,
  { create = true, sandbox }: { create?: boolean; sandbox?: Sandbox | undefined } = {},
): Promise<BootedDemo | null> => {
  const file = join(dirname(config.keyFile), 'demo.json')
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Demo) : null
  if (known && (await isAlive(features, known))) return { ...known, productionKey: null }
  if (!create || (await organizationStore.list(features.db)).length > 0) return null
  const { demo, productionKey } = await createDemo(features, sandbox)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  rmSync(file, { force: true })
  writeFileSync(file, JSON.stringify(demo), { mode: 0o400 })
  return { ...demo, productionKey }
}

const createDemo = async (
  features: Features,
  sandbox: Sandbox | undefined,
): Promise<{ demo: Demo; productionKey: Secret }> => {
  const { db } = features
  const { organization, productionKey, testKey, toolPackId } = await createOrganization(
    features,
    ORGANIZATION_NAME,
    { keyForDevelopment: true },
  )
  for (const origin of EXAMPLE_ORIGINS) await organizationStore.addOrigin(db, organization.id, origin)
  // The whole catalog has hundreds of tools, more than clients show that read only one page of a list.
  const connectors = features.connectors.catalog
    .all()
    .map(({ slug }) => slug)
    .filter(slug => slug.startsWith(SANDBOX_PREFIX))
  // Without a sandbox, the pack keeps all connectors, which include those of a sandbox that is installed later.
  if (connectors.length > 0) await patchPack(features, organization.id, toolPackId, { connectors })
  const owner = { organizationId: organization.id, mode: 'test' } as const
  const { user } = await createUser(features, owner, {
    origin_user_id: 'demo-user',
    origin_user_name: USER_NAME,
  })
  const others = await createOthers(features, organization.id, sandbox)
  await createHistory(features, organization.id, toolPackId, {
    users: [user.id, ...others],
    connected: sandbox ? others : [],
  })
  return {
    productionKey,
    demo: {
      organization_id: organization.id,
      organization_name: organization.name,
      test_key: testKey.reveal(),
      registered_user_id: user.id,
      registered_user_name: USER_NAME,
      tool_pack_id: toolPackId,
    },
  }
}

/** Further users in test mode. They have connected the sandbox's Vault with the key of its account `ben`. */
const createOthers = async (
  features: Features,
  organizationId: string,
  sandbox: Sandbox | undefined,
): Promise<string[]> => {
  const ids: string[] = []
  for (const [index, name] of OTHER_USERS.entries()) {
    const { user } = await createUser(
      features,
      { organizationId, mode: 'test' },
      {
        origin_user_id: `demo-${index + 1}`,
        origin_user_name: name,
        email: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
      },
    )
    ids.push(user.id)
    if (sandbox)
      await demoConnectionStore.insert(features.db, features.vault, {
        organizationId,
        registeredUserId: user.id,
        connectorSlug: `${SANDBOX_PREFIX}vault`,
        account: 'ben@example.com',
        key: sandbox.vaultKeys.ben,
      })
  }
  return ids
}

/** Calls that no plan counts, so that the charts of the dashboard show something before the first real call. */
const createHistory = async (
  { db }: Features,
  organizationId: string,
  toolPackId: string,
  { users, connected }: { users: string[]; connected: string[] },
): Promise<void> => {
  await demoHistoryStore.insert(db, { organizationId, toolPackId, users, connected })
  await demoViolationsStore.insert(db, { organizationId, users })
}

const isAlive = async ({ authenticateKey }: Features, demo: Demo): Promise<boolean> =>
  parseToken('testKey', demo.test_key) !== null &&
  (await authenticateKey(demo.test_key))?.organizationId === demo.organization_id
