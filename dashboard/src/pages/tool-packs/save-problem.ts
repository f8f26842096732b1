import { CarabinerError, type ToolPack } from '@carabiner/sdk'
import type { Selection } from './selection.ts'

export type AccountRules = ToolPack['accounts']
export type AccountRule = AccountRules[string]

/** A rejected setting of one connector. */
export type SaveProblem = {
  slug: string
  field: 'methods' | 'paths' | 'requests' | 'account'
  message: string
}

/** Finds the connector and the field that an error of a save names; null if it names another part of the pack. */
export const readSaveProblem = (error: unknown, connectors: Selection): SaveProblem | null => {
  if (!(error instanceof CarabinerError) || error.param === undefined) return null
  const { param, message } = error
  const [, rule] = /^accounts\.([^.]+)/.exec(param) ?? []
  if (rule !== undefined) return { slug: rule, field: 'account', message }
  const [, index, field = 'requests', line] =
    /^connectors\.(\d+)\.requests(?:\.(methods|paths)(?:\.(\d+))?)?/.exec(param) ?? []
  const slug = connectors?.[Number(index)]?.slug
  if (slug === undefined) return null
  return {
    slug,
    field: field as 'methods' | 'paths' | 'requests',
    message: line === undefined ? message : `Line ${Number(line) + 1}: ${message}`,
  }
}
