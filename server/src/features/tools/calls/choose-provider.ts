import type { CallableTool } from '../admission/callable-tool.ts'
import { httpProvider } from './http-provider.ts'
import { mcpProvider } from './mcp-provider.ts'
import type { Provider } from './provider.ts'

export const providerOf = (callable: Exclude<CallableTool, { kind: 'authenticate' }>): Provider =>
  callable.kind === 'http' ? httpProvider(callable) : mcpProvider(callable)
