import { writeFileSync } from 'node:fs'
import { checkAims } from './aims.ts'
import { readOptions, USAGE, UsageError } from './options.ts'
import { report } from './report.ts'
import { runBench } from './run-bench.ts'

const run = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2))
  const result = await runBench(options, line => process.stderr.write(`${line}\n`))
  process.stdout.write(`\n${report(result)}\n`)
  if (options.json)
    writeFileSync(options.json, JSON.stringify({ ...result, aims: checkAims(result) }, null, 2))
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

run().catch(error => {
  process.stderr.write(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : `${error.stack}\n`)
  process.exit(1)
})
