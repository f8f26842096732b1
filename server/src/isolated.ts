import { checkPatternsTask } from './features/rules/check-patterns.ts'
import { decideTask } from './features/rules/isolated-decide.ts'
import { tryRulesTask } from './features/rules/try-rules.ts'
import { scrubTask } from './features/tools/results/isolated-scrub.ts'
import { checkArgumentsTask } from './features/upstream/json-schema/isolated-check.ts'
import { vetToolsTask } from './features/upstream/mcp-client/isolated-vetting.ts'
import { serveTasks } from './platform/isolation/isolated-tasks.ts'

/** The entry point of worker threads. */
serveTasks({
  'check-arguments': checkArgumentsTask,
  'check-patterns': checkPatternsTask,
  'try-rules': tryRulesTask,
  'vet-tools': vetToolsTask,
  decide: decideTask,
  scrub: scrubTask,
})
