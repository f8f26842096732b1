import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createBrowserUser, linkNotes } from './browser-user.ts'
import { type ModelStub, startModelStub } from './model-stub.ts'
import { startTestService, type TestService } from './test-service.ts'

const PAGES = join(import.meta.dirname, '../../../docs/frameworks')

/** The programs of a page, exactly as a reader copies them. */
export const programsOf = (page: string): string[] =>
  [
    ...readFileSync(join(PAGES, `${page}.md`), 'utf8').matchAll(/^```js \[agent\.mjs\]\n([\s\S]+?)^```$/gm),
  ].map(([, program = '']) => program)

export type QuickstartStage = {
  /** Runs a program before and after its user connects the account. */
  check(program: string, name: string): Promise<void>
  stop(): Promise<void>
}

/** A service, a stand-in for the model, and a folder with the packages that the programs import. */
export const openQuickstartStage = async (packages: string): Promise<QuickstartStage> => {
  const home = mkdtempSync(join(tmpdir(), 'carabiner-quickstart-'))
  const t = await startTestService()
  const models = await startModelStub()
  const run = async (program: string, name: string, userId: string): Promise<string> => {
    // Next to the installed packages, so that the imports resolve.
    const file = join(packages, `quickstart-${name}-${process.pid}.mjs`)
    writeFileSync(file, program)
    try {
      const env = environmentOf(t, models, userId)
      const { stdout } = await promisify(execFile)(process.execPath, [file], {
        cwd: home,
        env: { ...env, HOME: home },
      })
      return stdout
    } finally {
      rmSync(file, { force: true })
    }
  }
  return {
    check: async (program, name) => {
      const user = await t.createUser()
      const first = await run(program, name, user.id)
      const link = /https?:\/\/[^\s"'\\]+\/magic-link\/[\w.-]*[\w-]/.exec(first)?.[0]
      assert.ok(link, first)
      await linkNotes(createBrowserUser(), link)
      assert.match(await run(program, name, user.id), /Kitchen quotes/)
    },
    stop: async () => {
      await models.stop()
      await t.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const environmentOf = (t: TestService, models: ModelStub, userId: string): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  MCP_URL: `${t.baseUrl}/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${userId}/mcp`,
  CARABINER_API_KEY: t.organization.key,
  OPENAI_API_KEY: 'unused',
  OPENAI_BASE_URL: `${models.url}/v1`,
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  MASTRA_TELEMETRY_DISABLED: '1',
  ANTHROPIC_API_KEY: 'unused',
  ANTHROPIC_BASE_URL: models.url,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // The stand-in calls tools without searching for them first.
  ENABLE_TOOL_SEARCH: 'false',
  DO_NOT_TRACK: '1',
})
