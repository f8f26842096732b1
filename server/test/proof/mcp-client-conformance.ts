import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runClientScenario } from '../support/mcp-conformance.ts'
import { installMcpServers } from '../support/mcp-servers.ts'

/**
 * `npm run proof:mcp-client`: every scenario that the official suite requires of a client, in both eras, one after the other.
 * The list below may only get shorter: nobody sits at this client, so it answers no elicitation.
 */
const NOT_SPOKEN = ['elicitation-sep1034-client-defaults', 'sep-2322-client-request-state']

const requiredOf = (folder: string, revision: string): string[] => {
  const path = join(folder, `node_modules/@modelcontextprotocol/conformance/requirements/${revision}.yaml`)
  const [, client = ''] = readFileSync(path, 'utf8').split(/^client:$/m)
  return [...(client.split(/^\w/m)[0] ?? '').matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name as string)
}

const folder = await installMcpServers()
let passed = 0
const failed: string[] = []
for (const revision of ['2025-11-25', '2026-07-28'])
  for (const scenario of requiredOf(folder, revision)) {
    const judged = await runClientScenario(scenario, revision)
    const expected = !NOT_SPOKEN.includes(scenario)
    process.stdout.write(`${judged.passed ? '✔' : expected ? '✖' : '–'} ${revision} ${scenario}\n`)
    if (judged.passed === expected) passed++
    else failed.push(`${revision} ${scenario}\n${judged.output}`)
  }
process.stdout.write(`${failed.join('\n')}\n${passed} passed, ${failed.length} failed\n`)
process.exit(failed.length === 0 && passed > 40 ? 0 : 1)
