/** The variable from which clients read the key. It never is in a configuration. */
export const KEY_VARIABLE = 'CARABINER_MCP_KEY'

type Json = Record<string, unknown>

export type ClientConfig = {
  title: string
  /** Where the configuration belongs. */
  place: string
  /** The file that `--write` changes. Only files of a project are, in which the key is a reference. */
  projectFile?: string
  /** How the client gets the key. */
  key: string
  /** The client has its own page for servers with sign-in, which takes the address. */
  signInPage?: string
  language: 'json' | 'toml' | 'sh'
  /** JSON is an object, so that it can be merged into a file. */
  build: (server: ConfiguredServer) => Json | string
}

/** `signsIn`: the client signs its user in, and needs no key. */
export type ConfiguredServer = { url: string; name: string; signsIn: boolean }

const bearer = (reference: string): Json => ({ Authorization: `Bearer ${reference}` })
const withKey = ({ signsIn }: ConfiguredServer, reference: string): Json =>
  signsIn ? {} : { headers: bearer(reference) }
const FROM_ENVIRONMENT = `Set ${KEY_VARIABLE} in the environment of the client.`

/** The bridge for clients that start local programs only. It reads the header from its own environment. */
const bridge = ({ url, signsIn }: ConfiguredServer): Json =>
  signsIn
    ? { command: 'npx', args: ['-y', 'mcp-remote', url] }
    : {
        command: 'npx',
        args: ['-y', 'mcp-remote', url, '--header', `Authorization:\${MCP_AUTHORIZATION}`],
        env: { MCP_AUTHORIZATION: 'Bearer REPLACE_WITH_THE_KEY' },
      }
const IN_FILE = 'Replace REPLACE_WITH_THE_KEY in your own file. The client has no other place for it.'

export const MCP_CLIENTS: Record<string, ClientConfig> = {
  'claude-code': {
    title: 'Claude Code',
    place: '.mcp.json in the project',
    projectFile: '.mcp.json',
    key: FROM_ENVIRONMENT,
    language: 'json',
    build: server => ({
      mcpServers: {
        [server.name]: { type: 'http', url: server.url, ...withKey(server, `\${${KEY_VARIABLE}}`) },
      },
    }),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    place: 'claude_desktop_config.json (Settings → Developer → Edit Config)',
    key: IN_FILE,
    signInPage: 'a custom connector, in the settings of connectors. The service needs a public address',
    language: 'json',
    build: server => ({ mcpServers: { [server.name]: bridge(server) } }),
  },
  cursor: {
    title: 'Cursor',
    place: '.cursor/mcp.json in the project, or ~/.cursor/mcp.json',
    projectFile: '.cursor/mcp.json',
    key: FROM_ENVIRONMENT,
    language: 'json',
    build: server => ({
      mcpServers: { [server.name]: { url: server.url, ...withKey(server, `\${env:${KEY_VARIABLE}}`) } },
    }),
  },
  vscode: {
    title: 'Visual Studio Code',
    place: '.vscode/mcp.json in the project',
    projectFile: '.vscode/mcp.json',
    key: 'Visual Studio Code asks for the key once and stores it encrypted.',
    language: 'json',
    build: server => {
      const { url, name, signsIn } = server
      const input = {
        type: 'promptString',
        id: `${name}-key`,
        description: 'Carabiner MCP key',
        password: true,
      }
      return {
        ...(!signsIn && { inputs: [input] }),
        servers: { [name]: { type: 'http', url, ...withKey(server, `\${input:${input.id}}`) } },
      }
    },
  },
  windsurf: {
    title: 'Windsurf',
    place: '~/.codeium/windsurf/mcp_config.json',
    key: FROM_ENVIRONMENT,
    language: 'json',
    build: server => ({
      mcpServers: {
        [server.name]: { serverUrl: server.url, ...withKey(server, `\${env:${KEY_VARIABLE}}`) },
      },
    }),
  },
  codex: {
    title: 'Codex',
    place: '~/.codex/config.toml, or .codex/config.toml in the project',
    key: FROM_ENVIRONMENT,
    language: 'toml',
    build: ({ url, name, signsIn }) =>
      `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}${signsIn ? '' : `\nbearer_token_env_var = "${KEY_VARIABLE}"`}`,
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    place: '.gemini/settings.json in the project, or ~/.gemini/settings.json',
    projectFile: '.gemini/settings.json',
    key: FROM_ENVIRONMENT,
    language: 'json',
    build: server => ({
      mcpServers: { [server.name]: { httpUrl: server.url, ...withKey(server, `$${KEY_VARIABLE}`) } },
    }),
  },
  opencode: {
    title: 'opencode',
    place: 'opencode.json in the project',
    projectFile: 'opencode.json',
    key: FROM_ENVIRONMENT,
    language: 'json',
    build: server => ({
      mcp: {
        [server.name]: {
          type: 'remote',
          url: server.url,
          enabled: true,
          ...withKey(server, `{env:${KEY_VARIABLE}}`),
        },
      },
    }),
  },
  zed: {
    title: 'Zed',
    place: 'the settings file (action "zed: open settings file")',
    key: IN_FILE,
    language: 'json',
    build: server => ({
      context_servers: { [server.name]: { url: server.url, ...withKey(server, 'REPLACE_WITH_THE_KEY') } },
    }),
  },
  chatgpt: {
    title: 'ChatGPT and the OpenAI API',
    place:
      'the `tools` of a request to the Responses API. Apps in ChatGPT sign in with OAuth and cannot send a key of their own',
    key: `Read ${KEY_VARIABLE} in your program, and replace REPLACE_WITH_THE_KEY in the request.`,
    signInPage:
      'a new app (connector) for an MCP server, in developer mode. The service needs a public address',
    language: 'json',
    build: ({ url, name }) => ({
      type: 'mcp',
      server_label: name,
      server_url: url,
      authorization: 'REPLACE_WITH_THE_KEY',
      require_approval: 'always',
    }),
  },
  'mcp-remote': {
    title: 'Clients that start local programs only, with mcp-remote as a bridge',
    place: 'the list of MCP servers of the client',
    key: IN_FILE,
    language: 'json',
    build: server => ({ mcpServers: { [server.name]: bridge(server) } }),
  },
  inspector: {
    title: 'MCP Inspector',
    place: 'a terminal',
    key: `Set ${KEY_VARIABLE} in the terminal.`,
    language: 'sh',
    build: ({ url, signsIn }) =>
      `npx @modelcontextprotocol/inspector --cli '${url}' --transport http --protocol-era modern \\\n  ${signsIn ? '' : `--header "Authorization: Bearer $${KEY_VARIABLE}" `}--method tools/list`,
  },
}
