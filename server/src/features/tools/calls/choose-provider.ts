import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import { httpProvider } from './http-provider.ts'
import { mcpProvider } from './mcp-provider.ts'
import type { Provider } from './provider.ts'
import { requestProvider } from './request-provider.ts'

export const providerOf = (
  callable: Exclude<CallableTool, { kind: 'authenticate' }>,
  args: ToolArguments,
): Provider => {
  switch (callable.kind) {
    case 'http':
      return httpProvider(callable)
    case 'request':
      return requestProvider(callable, args)
    case 'mcp':
      return mcpProvider(callable)
  }
}
