import { type ToolPackPatch, type ToolPackWrite, toolPackBounds } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database, Transaction } from '../../../platform/database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import type { Connectors } from '../availability.ts'
import { mcpConnectorStore } from '../mcp-servers/mcp-connector-store.ts'
import { readChoices, type ToolsOfServers } from './read-choices.ts'
import { initialSettings, readSettings } from './tool-pack-settings.ts'
import { type PackValues, type StoredPack, toolPackStore } from './tool-pack-store.ts'

type Deps = { db: Database; connectors: Connectors }

const EVERYTHING = { connectors: null, choices: {}, requests: {} }

export const createPack = async (
  deps: Deps,
  organizationId: string,
  body: ToolPackWrite,
): Promise<StoredPack> => {
  const pack = { id: newUuid(), ...(await readWhole(deps, organizationId, body)) }
  return deps.db.transaction(async tx => {
    await toolPackStore.lock(tx, organizationId)
    if ((await toolPackStore.count(tx, organizationId)) >= toolPackBounds.packs)
      throw new Refusal('tool_pack_limit_reached')
    const made = (await toolPackStore.insert(tx, organizationId, pack)) as StoredPack
    return finish(tx, organizationId, made, body.is_default, 'created')
  })
}

/**
 * Fields missing from a replacement get their defaults. A default pack stays the default until another one becomes
 * it.
 */
export const replacePack = async (
  deps: Deps,
  organizationId: string,
  id: string,
  body: ToolPackWrite,
): Promise<StoredPack> => {
  await requirePack(deps.db, organizationId, id)
  return changePack(deps, organizationId, id, await readWhole(deps, organizationId, body), body.is_default)
}

/** Missing fields stay unchanged; null resets a field to its default. */
export const patchPack = async (
  deps: Deps,
  organizationId: string,
  id: string,
  patch: ToolPackPatch,
): Promise<StoredPack> => {
  await requirePack(deps.db, organizationId, id)
  const { name, connectors } = patch
  const change = {
    ...(name !== undefined && { name }),
    ...readSettings(patch),
    ...(connectors !== undefined && (await chooseConnectors(deps, organizationId, connectors))),
  }
  return changePack(deps, organizationId, id, change, patch.is_default)
}

export const deletePack = (db: Database, organizationId: string, id: string): Promise<void> =>
  db.transaction(async tx => {
    await toolPackStore.lock(tx, organizationId)
    const gone = await toolPackStore.delete(tx, organizationId, id)
    if (gone) return emitChange(tx, organizationId, gone, 'deleted')
    await requirePack(tx, organizationId, id)
    throw new Refusal('default_tool_pack_required')
  })

export const requirePack = async (
  db: Database | Transaction,
  organizationId: string,
  id: string,
): Promise<StoredPack> => {
  const pack = await toolPackStore.find(db, organizationId, id)
  if (!pack) throw new Refusal('tool_pack_not_found')
  return pack
}

export const requireDefaultPack = async (
  db: Database | Transaction,
  organizationId: string,
): Promise<StoredPack> => {
  const pack = await toolPackStore.findDefault(db, organizationId)
  if (!pack) throw new Refusal('tool_pack_not_found')
  return pack
}

const readWhole = async (deps: Deps, organizationId: string, body: ToolPackWrite): Promise<PackValues> => ({
  name: body.name,
  ...initialSettings,
  ...readSettings(body),
  ...(await chooseConnectors(deps, organizationId, body.connectors ?? null)),
})

/** Reads the connectors of a request, and validates them. Null: every connector. */
export const chooseConnectors = async (
  { db, connectors }: Deps,
  organizationId: string,
  wanted: ToolPackWrite['connectors'] | null,
) =>
  wanted
    ? readChoices({ connectors, toolsOfServers: pinnedTools(db, organizationId) }, organizationId, wanted)
    : EVERYTHING

const pinnedTools =
  (db: Database, organizationId: string): ToolsOfServers =>
  async ids => {
    const rows = await mcpConnectorStore.schemas(db, organizationId, ids)
    return new Map(
      rows.map(({ id, tools }) => [
        id,
        tools && new Map(tools.map(({ name, inputSchema }) => [name, inputSchema])),
      ]),
    )
  }

const changePack = (
  { db }: Deps,
  organizationId: string,
  id: string,
  changed: Partial<PackValues>,
  isDefault: boolean | undefined,
): Promise<StoredPack> =>
  db.transaction(async tx => {
    await toolPackStore.lock(tx, organizationId)
    const before = await requirePack(tx, organizationId, id)
    const stored = await toolPackStore.update(tx, organizationId, id, { ...before, ...changed })
    if (!stored) throw new Refusal('tool_pack_not_found')
    return finish(tx, organizationId, stored, isDefault, 'updated')
  })

const finish = async (
  tx: Transaction,
  organizationId: string,
  stored: StoredPack,
  isDefault: boolean | undefined,
  what: PackEvent,
): Promise<StoredPack> => {
  if (stored.isDefault && isDefault === false)
    throw new Refusal('default_tool_pack_required', { param: 'is_default' })
  const moves = isDefault === true && !stored.isDefault
  const done = moves
    ? ((await toolPackStore.moveDefault(tx, organizationId, stored.id)) as StoredPack)
    : stored
  await emitChange(tx, organizationId, done, what)
  return done
}

type PackEvent = 'created' | 'updated' | 'deleted'

const emitChange = (
  tx: Transaction,
  organizationId: string,
  { id, name }: StoredPack,
  change: PackEvent,
): Promise<void> =>
  recordEvent(tx, {
    organizationId,
    registeredUserId: null,
    type: 'tool_pack.updated',
    payload: { tool_pack_id: id, name, change },
  })
