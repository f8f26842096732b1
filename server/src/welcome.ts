import { styleText } from 'node:util'
import type { BootedDemo } from './first-boot.ts'
import type { Role } from './platform/config.ts'
import { SANDBOX_NOT_INSTALLED } from './sandbox.ts'

export type Welcome = {
  role: Role
  baseUrl: string
  /** Null: it is not installed. Undefined: not in this mode or role. */
  sandboxUrl: string | null | undefined
  database: string
  processes: number
  milliseconds: number
  /** How the first person signs in to the dashboard. Null if there are people already. */
  signIn: { url: string } | { command: string } | null
  demo: { facts: BootedDemo; mcpUrl: string; signInUrl: string; magicLinkUrl: string } | null
}

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

/** Colors the output if the terminal supports it; NO_COLOR disables that. */
export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream })

/** Prints the current step, because a cold start may take many seconds on a busy machine. */
export const showStep = (step: string): void => {
  process.stderr.write(`${paintFor(process.stderr)('dim', `${step} …`)}\n`)
}

const EXAMPLE_PORT_URL = 'http://localhost:4000'

/** The text printed when the service is ready. */
export const welcome = (
  { role, baseUrl, sandboxUrl, database, processes, milliseconds, signIn, demo }: Welcome,
  paint: Paint = (_style, text) => text,
): string => {
  const fact = (name: string, value: string): string => `  ${paint('dim', name.padEnd(16))}  ${value}`
  const lines = [
    `${paint(['bold', 'green'], 'Carabiner is ready')} ${paint('dim', `(${(milliseconds / 1000).toFixed(1)} s)`)}`,
    '',
    ...(role === 'worker'
      ? [fact('Role', 'worker: runs jobs and serves only health checks')]
      : [
          fact('Dashboard', paint('cyan', baseUrl)),
          fact('Documentation', `${baseUrl}/docs`),
          fact('API document', `${baseUrl}/api/v1/openapi.json`),
        ]),
    ...(role === 'api' ? [fact('Role', 'api: runs no jobs')] : []),
    ...(sandboxUrl ? [fact('Sandbox', `${sandboxUrl}  (a stand-in provider, for development only)`)] : []),
    ...(sandboxUrl === null ? [fact('Sandbox', SANDBOX_NOT_INSTALLED)] : []),
    fact('Database', database),
    ...(processes > 1 ? [fact('Processes', String(processes))] : []),
    ...(signIn ? signInLines(signIn, paint) : []),
    ...(demo ? demoLines(baseUrl, demo, paint, fact) : []),
  ]
  return `${lines.join('\n')}\n\n`
}

const signInLines = (signIn: NonNullable<Welcome['signIn']>, paint: Paint): string[] => [
  '',
  paint(
    'bold',
    'url' in signIn ? 'Sign in to the dashboard: this link works once' : 'Sign in to the dashboard',
  ),
  '',
  'url' in signIn ? `  ${paint('cyan', signIn.url)}` : `  Create the first sign-in link:  ${signIn.command}`,
]

const demoLines = (
  baseUrl: string,
  { facts, mcpUrl, signInUrl, magicLinkUrl }: NonNullable<Welcome['demo']>,
  paint: Paint,
  fact: (name: string, value: string) => string,
): string[] => {
  const title = (text: string) => ['', paint('bold', text), '']
  // The examples use the default address of the service.
  const address = baseUrl === EXAMPLE_PORT_URL ? '' : `CARABINER_URL=${baseUrl} `
  const example = `${address}CARABINER_API_KEY=${facts.test_key} npm start -w @carabiner/example-`
  return [
    ...title('Demo organization'),
    fact('Organization', `${facts.organization_name}  ${facts.organization_id}`),
    fact('Registered User', `${facts.registered_user_name}  ${facts.registered_user_id}`),
    fact('Tool Pack', facts.tool_pack_id),
    fact('MCP URL', mcpUrl),
    fact('MCP with sign-in', `${signInUrl}  ${paint('dim', '# no key: the client signs the user in')}`),
    fact('Test key', facts.test_key),
    ...(facts.productionKey
      ? [
          fact('Production key', facts.productionKey.reveal()),
          fact(
            '',
            paint('dim', 'shown once; for development only, rejected in production until regenerated'),
          ),
        ]
      : []),
    ...title('Connect an account: open this link in a browser'),
    `  ${paint('cyan', magicLinkUrl)}`,
    ...title('Or create a link with the API: paste this into a shell, as in the quickstart'),
    `export CARABINER_URL=${baseUrl}`,
    `export CARABINER_API_KEY=${facts.test_key}`,
    `export USER_ID=${facts.registered_user_id}`,
    `export MCP_URL=${mcpUrl}`,
    'curl -s -X POST "$CARABINER_URL/api/v1/registered-users/$USER_ID/link-token" -H "Authorization: Bearer $CARABINER_API_KEY"',
    ...title('Examples'),
    `  ${example}react-settings   ${paint('dim', '# a settings page, http://localhost:5300')}`,
    `  ${example}agent-chat       ${paint('dim', '# an agent that requests a connection, http://localhost:5302')}`,
  ]
}
