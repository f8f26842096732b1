import type { ListedTool } from './listed-tool.ts'

export const RENEW_CONNECTION = 'renew_connection'

/** Listed only in a Tool Pack with `renewal_notices`. The name contains no `__`, so it cannot collide with a connector's tool. */
export const renewConnectionTool: ListedTool = {
  name: RENEW_CONNECTION,
  title: 'Renew a connection',
  description:
    'Returns a link with which the user renews a connection that ends soon. Results of tools say when one does, and what to call this tool with.',
  inputSchema: {
    type: 'object',
    properties: {
      connector: { type: 'string', description: 'The connector, as in the notice.' },
      account: { type: 'string', description: 'The account, as in the notice.' },
    },
    required: ['connector', 'account'],
    additionalProperties: false,
  },
  annotations: { title: 'Renew a connection', readOnlyHint: true, openWorldHint: false },
}
