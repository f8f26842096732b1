import type { ChosenConnector, ToolPack } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { packHandle } from '../../../core/pack-handle.ts'
import { showSettings } from './tool-pack-settings.ts'
import type { StoredPack } from './tool-pack-store.ts'

/** Responses always use the long form, with tools by name. */
export const showPack = (
  { organizationId, mode }: { organizationId: string; mode: Mode },
  pack: StoredPack,
): ToolPack => ({
  id: pack.id,
  handle: packHandle(organizationId, pack.id, mode),
  name: pack.name,
  is_default: pack.isDefault,
  connectors: pack.connectors?.map(slug => showChosen(slug, pack)) ?? null,
  ...showSettings(pack),
  created_at: pack.createdAt.toISOString(),
  updated_at: pack.updatedAt.toISOString(),
})

const showChosen = (
  slug: string,
  { choices, requests }: Pick<StoredPack, 'choices' | 'requests'>,
): ChosenConnector => ({
  slug,
  tools: Object.hasOwn(choices, slug)
    ? Object.entries(choices[slug] ?? {})
        .map(([name, choice]) => ({ name, ...choice }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    : null,
  ...(Object.hasOwn(requests, slug) && { requests: requests[slug] }),
})
