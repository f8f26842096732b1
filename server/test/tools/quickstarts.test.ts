import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { installMcpClients } from '../support/mcp-clients.ts'
import { openQuickstartStage, programsOf, type QuickstartStage } from '../support/quickstarts.ts'

/** The Claude Agent SDK takes 400 MB, so `npm run proof:claude-agent` runs its page. */
const FRAMEWORKS = ['ai-sdk', 'openai-agents', 'langchain', 'mastra', 'llamaindex', 'mcp-sdk']
const MAX_LINES = 20

let stage: QuickstartStage
before(async () => {
  const { packages } = await installMcpClients()
  stage = await openQuickstartStage(packages)
})
after(() => stage?.stop())

describe('quickstarts of docs/frameworks', { concurrency: 2 }, () => {
  for (const page of FRAMEWORKS) {
    const programs = programsOf(page)
    it(`${page}: the page has a program of at most ${MAX_LINES} lines`, () => {
      assert.ok(programs.length > 0)
      for (const program of programs) assert.ok(program.split('\n').filter(Boolean).length <= MAX_LINES)
    })
    for (const [index, program] of programs.entries())
      it(`${page}, program ${index + 1}: prints a link, and the notes after linking`, () =>
        stage.check(program, `${page}-${index}`))
  }
})
