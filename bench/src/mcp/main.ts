import { writeFileSync } from 'node:fs'
import { UsageError } from '../options.ts'
import { checkMcpAims } from './mcp-aims.ts'
import { MCP_USAGE, readMcpOptions } from './mcp-options.ts'
import { mcpReport } from './mcp-report.ts'
import { measureSteps, stepsReport } from './measure-steps.ts'
import { runMcpBench } from './run-mcp-bench.ts'

const run = async (): Promise<void> => {
  const options = readMcpOptions(process.argv.slice(2))
  if (options.steps) return void process.stdout.write(`${stepsReport(await measureSteps())}\n`)
  const result = await runMcpBench(options, line => process.stderr.write(`${line}\n`))
  process.stdout.write(`\n${mcpReport(result)}\n`)
  if (options.json)
    writeFileSync(options.json, JSON.stringify({ ...result, aims: checkMcpAims(result) }, null, 2))
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

run().catch(error => {
  process.stderr.write(error instanceof UsageError ? `${error.message}\n\n${MCP_USAGE}` : `${error.stack}\n`)
  process.exit(1)
})
