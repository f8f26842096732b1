/** What snippets of programs assume: names that the text around them introduces. */
export const CONTEXT = `
import type { createClient } from '@carabiner/sdk'

declare global {
  const carabiner: ReturnType<typeof createClient>
  const apiKey: string
  const baseUrl: string
  const linkUrl: string
  const linkToken: string
  const registeredUserId: string
  const signedInUserId: string
  const credentialId: string
  const apiKeyId: string
  const toolPackId: string
  const keyId: string
  const grantId: string
  const requestId: string
  const toolCallId: string
  const webhookEndpointId: string
  const approvalId: string
  const policyRuleId: string
  const webhookDeliveryId: string
  const slug: string
  const data: Uint8Array<ArrayBuffer>
  const userId: string
  const user: { id: string }
  const state: string
  const session: { state: string }
  const request: { url: string }
  const secret: string
  const body: string
  const headers: Record<string, string>
  const url: string
  const lang: string
  const theme: 'light' | 'dark'
  const events: AsyncIterable<unknown>
  const button: HTMLButtonElement
  const id: string
  const redirectUris: string[]
  const toolResult: unknown
  /** Makes exactly the same call again. */
  const repeatCall: () => void
  const showMessage: (text: string) => void
  const showEvent: (event: unknown) => void
  const runPrompt: (prompt: unknown) => Promise<unknown>
  const refresh: () => void
  const report: (error: unknown) => void
  const onSuccess: () => void
  const onExit: (error: unknown) => void
}
`

/** Blocks that another test runs, by the file that contains them. The test names the file. */
export const RUN_BY: Record<string, string> = {
  'docs/frameworks/mcp-clients.md': 'server/test/tools/mcp-document.test.ts',
  'docs/guides/testing.md': 'apps/testing/test/snippets.test.ts',
  'docs/guides/webhooks.md': 'packages/sdk/test/webhook-snippets.ts',
  'docs/security/audit.md': 'server/test/events/audit.test.ts',
  'docs/security/key-services.md': 'server/test/vault/key-provider.test.ts',
  'packages/sdk/README.md': 'packages/sdk/test/readme.test.ts',
  'apps/testing/README.md': 'apps/testing/test/snippets.test.ts',
}

/**
 * Programs for a framework need packages that are not installed here. `server/test/tools/quickstarts.test.ts` installs them and runs the
 * programs; the fragments beside them are parsed only.
 */
export const isForFramework = (file: string): boolean => file.startsWith('docs/frameworks/')

/** Decisions show the code of their time. */
export const isHistory = (file: string): boolean => file.startsWith('docs/project/decisions/')
