export type { Duration } from './duration.ts'
export type { Fault, FaultOptions, Faults } from './faults.ts'
export type { LinkChoices, LinkResult } from './link/follow-link.ts'
export type { McpServer, McpServerTool, ToolResult } from './mcp/mcp-server.ts'
export type {
  Account,
  SandboxControl,
  SandboxFault,
  SandboxGrant,
  SandboxRequest,
  SandboxTarget,
} from './sandbox-control.ts'
export type { Clock } from './service/clock.ts'
export { type Carabiner, type CarabinerOptions, startCarabiner } from './start-carabiner.ts'
export { openTape, type Tape, type TapeOptions } from './tape/open-tape.ts'
export type { TapeEntry, TapeFile } from './tape/tape-file.ts'
export type { LinkedAccount, LinkOptions, NewUser, TestUser } from './users.ts'
