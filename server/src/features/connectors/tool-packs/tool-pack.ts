import type { ChosenConnector, ToolPack } from '@carabiner/contract'
import type { Choices } from '../catalog/tool-choice.ts'

export type PackRow = {
  id: string
  name: string
  description: string
  is_default: boolean
  /** Null: every usable connector. */
  connectors: string[] | null
  choices: Choices
  result_limit: number
  result_handles: boolean
  created_at: Date
  updated_at: Date
}

/** Responses always use the long form, with tools by name. */
export const showPack = (row: PackRow): ToolPack => ({
  id: row.id,
  name: row.name,
  description: row.description,
  is_default: row.is_default,
  connectors: row.connectors?.map(slug => showChosen(slug, row.choices)) ?? null,
  result_limit: row.result_limit,
  result_handles: row.result_handles,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

const showChosen = (slug: string, choices: Choices): ChosenConnector => ({
  slug,
  tools: Object.hasOwn(choices, slug)
    ? Object.entries(choices[slug] ?? {})
        .map(([name, choice]) => ({ name, ...choice }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    : null,
})
