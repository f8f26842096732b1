import type { ListedTool } from './listed-tool.ts'

export const SEARCH_TOOLS = 'search_tools'
export const CALL_TOOL = 'call_tool'

export const searchLimits = { default: 8, maximum: 20, queryLength: 500 } as const

const definition = (howToCall: string): ListedTool => ({
  name: SEARCH_TOOLS,
  title: 'Search for tools',
  description: `Finds tools for connected systems, such as mail, calendars, files, tickets or code. Describe the action and its object in a few words, and name the system if the user did. Returns the names, descriptions and input schemas of the best matches. ${howToCall}`,
  inputSchema: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        minLength: 1,
        maxLength: searchLimits.queryLength,
        description: 'What the tool should do, such as "reply to an email".',
      },
      connector: {
        type: 'string',
        description: 'Only tools of this connector: the part of a name before "__", such as "gmail".',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: searchLimits.maximum,
        description: `Maximum number of tools. Default: ${searchLimits.default}.`,
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { title: 'Search for tools', readOnlyHint: true, openWorldHint: false },
})

/** These names contain no `__`, so they cannot collide with a connector's tool. */
export const searchToolsTool = definition('Call a found tool with call_tool.')
export const revealingSearchTool = definition(
  'The found tools are added to the list of tools: call them by their names.',
)

/** The annotations are those of the most dangerous tool that it may call. */
export const callToolTool: ListedTool = {
  name: CALL_TOOL,
  title: 'Call a found tool',
  description:
    'Calls a tool that search_tools has found, with arguments that match its input schema. Returns the result of that tool.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Name of the tool, as returned by search_tools.' },
      arguments: { type: 'object', description: 'Arguments of the tool. Default: none.' },
    },
    required: ['name'],
    additionalProperties: false,
  },
  annotations: {
    title: 'Call a found tool',
    readOnlyHint: false,
    destructiveHint: true,
    openWorldHint: true,
  },
}
