import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { welcome } from '../server/src/welcome.ts'
import { blocksOf } from '../server/test/documentation/fenced-blocks.ts'
import { createBrowserUser, linkNotes } from '../server/test/support/browser-user.ts'
import type { TestService } from '../server/test/support/test-service.ts'
import { replaceSection } from './marked-section.ts'

export const QUICKSTART = 'docs/get-started/index.md'

const BASE_URL = 'http://localhost:4000'

/** The quickstart with what its commands print today. They run in `bash`, as a reader runs them. */
export const withQuickstartOutputs = async (page: string, service: TestService): Promise<string> => {
  const command = blocksOf(QUICKSTART, page).find(({ code }) => code.includes('tools/call'))?.code ?? ''
  const { id } = await service.createUser(
    { origin_user_id: 'ana', origin_user_name: 'Ana Ruiz' },
    service.organization.testKey,
  )
  const run = () => runCommand(command, service, id)
  const call = await run()
  await linkNotes(createBrowserUser(), (JSON.parse(call) as { magic_link_url: string }).magic_link_url)
  const outputs = {
    'the start': fence('text', startLines()),
    'the call': fence('json', mask(call, service.baseUrl)),
    'the second call': fence('json', mask(await run(), service.baseUrl)),
  }
  return Object.entries(outputs).reduce((text, [name, output]) => {
    const [begin, end] = [`<!-- output of ${name} -->`, `<!-- end of ${name} -->`]
    return replaceSection(text, begin, end, `${begin}\n\n${output}\n\n${end}`)
  }, page)
}

const runCommand = async (command: string, service: TestService, userId: string): Promise<string> => {
  const { baseUrl, organization } = service
  const path = `/api/v1/tool-packs/${organization.toolPackId}/registered-users/${userId}/mcp`
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], {
    env: { PATH: process.env['PATH'], MCP_URL: baseUrl + path, CARABINER_API_KEY: organization.testKey },
  })
  return stdout
}

/** Secrets, IDs and times differ in each run. */
const mask = (output: string, baseUrl: string): string =>
  output
    .replaceAll(baseUrl, BASE_URL)
    .replace(/(cb_(?:lnk|mlk)_)[\w.-]+/g, '$1…')
    .replace(/note_[0-9a-f]+/g, 'note_…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-01T12:30:00.000Z')
    .trim()

/** The first line, and the lines to paste. */
const startLines = (): string => {
  const text = welcome({
    role: 'all',
    baseUrl: BASE_URL,
    sandboxUrl: undefined,
    database: '',
    processes: 1,
    milliseconds: 3400,
    signIn: null,
    demo: {
      facts: { test_key: 'cb_sk_test_…', registered_user_id: '0198c0de-…' } as never,
      mcpUrl: `${BASE_URL}/api/v1/tool-packs/…/registered-users/…/mcp`,
      signInUrl: '',
      magicLinkUrl: '',
    },
  })
  const exports = text.match(/^export .+$/gm) ?? []
  return [text.split('\n')[0], '…', ...exports].join('\n')
}

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``
