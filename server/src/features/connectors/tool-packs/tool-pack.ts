import type { ChosenConnector, ToolPack } from '@carabiner/contract'
import type { Choices } from '../catalog/tool-choice.ts'

export type StoredPack = {
  id: string
  name: string
  description: string
  isDefault: boolean
  /** Null: every usable connector. */
  connectors: string[] | null
  choices: Choices
  resultLimit: number
  resultHandles: boolean
  createdAt: Date
  updatedAt: Date
}

/** Responses always use the long form, with tools by name. */
export const showPack = (row: StoredPack): ToolPack => ({
  id: row.id,
  name: row.name,
  description: row.description,
  is_default: row.isDefault,
  connectors: row.connectors?.map(slug => showChosen(slug, row.choices)) ?? null,
  result_limit: row.resultLimit,
  result_handles: row.resultHandles,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

const showChosen = (slug: string, choices: Choices): ChosenConnector => ({
  slug,
  tools: Object.hasOwn(choices, slug)
    ? Object.entries(choices[slug] ?? {})
        .map(([name, choice]) => ({ name, ...choice }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    : null,
})
