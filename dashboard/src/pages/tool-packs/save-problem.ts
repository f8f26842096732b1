import { CarabinerError, type ToolPack } from '@carabiner/sdk'
import type { Selection } from './selection.ts'

export type AccountRules = ToolPack['accounts']
export type AccountRule = AccountRules[string]

/** A rejected setting of one connector, or of one of its tools. */
export type SaveProblem = {
  slug: string
  tool?: string
  field: 'methods' | 'paths' | 'requests' | 'account' | 'description' | 'view' | 'inputs'
  /** The name of the input, with `inputs`. */
  input?: string
  message: string
}

/** Finds the connector and the field that an error of a save names; null if it names another part of the pack. */
export const readSaveProblem = (error: unknown, connectors: Selection | undefined): SaveProblem | null => {
  if (!(error instanceof CarabinerError) || error.param === undefined) return null
  const { param, message } = error
  const [, rule] = /^accounts\.([^.]+)/.exec(param) ?? []
  if (rule !== undefined) return { slug: rule, field: 'account', message }
  const [, index, rest = ''] = /^connectors\.(\d+)\.(.+)$/.exec(param) ?? []
  const connector = connectors?.[Number(index)]
  return connector
    ? (readRequests(connector.slug, rest, message) ?? readTool(connector, rest, message))
    : null
}

const readRequests = (slug: string, rest: string, message: string): SaveProblem | null => {
  const found = /^requests(?:\.(methods|paths)(?:\.(\d+))?)?/.exec(rest)
  if (!found) return null
  const [, field = 'requests', line] = found
  return { slug, field: field as SaveProblem['field'], message: withLine(line, message) }
}

const readTool = (
  { slug, tools }: NonNullable<Selection>[number],
  rest: string,
  message: string,
): SaveProblem | null => {
  const [, index, field, part] = /^tools\.(\d+)\.(description|view|inputs)(?:\.(.+))?$/.exec(rest) ?? []
  const tool = tools?.[Number(index)]?.name
  if (tool === undefined) return null
  return {
    slug,
    tool,
    field: field as SaveProblem['field'],
    ...(field === 'inputs' && part !== undefined && { input: part.split('.')[0] as string }),
    message: field === 'view' ? withLine(part, message) : message,
  }
}

/** Lists are edited as lines. */
const withLine = (index: string | undefined, message: string): string =>
  index === undefined ? message : `Line ${Number(index) + 1}: ${message}`
