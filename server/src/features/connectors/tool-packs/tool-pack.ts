import type { ChosenConnector, PackAccounts, ToolPack } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { packHandle } from '../../../core/pack-handle.ts'
import type { Choices, Requests } from '../catalog/tool-choice.ts'

export type PackServing = ToolPack['serving']

export type StoredPack = {
  id: string
  name: string
  description: string
  isDefault: boolean
  /** Null: every usable connector. */
  connectors: string[] | null
  choices: Choices
  requests: Requests
  resultLimit: number
  resultHandles: boolean
  explainAccess: boolean
  serving: PackServing
  /** Names of tools that are listed although the pack is served as search. */
  favorites: string[]
  accounts: PackAccounts
  createdAt: Date
  updatedAt: Date
}

/** Responses always use the long form, with tools by name. */
export const showPack = (
  { organizationId, mode }: { organizationId: string; mode: Mode },
  pack: StoredPack,
): ToolPack => ({
  id: pack.id,
  handle: packHandle(organizationId, pack.id, mode),
  name: pack.name,
  description: pack.description,
  is_default: pack.isDefault,
  connectors: pack.connectors?.map(slug => showChosen(slug, pack)) ?? null,
  result_limit: pack.resultLimit,
  result_handles: pack.resultHandles,
  explain_access: pack.explainAccess,
  serving: pack.serving,
  favorites: pack.favorites,
  accounts: pack.accounts,
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
