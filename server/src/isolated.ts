import { decideTask } from './features/rules/isolated-decide.ts'
import { checkArgumentsTask } from './features/upstream/isolated-check.ts'
import { vetToolsTask } from './features/upstream/isolated-vetting.ts'
import { serveTasks } from './platform/isolated-tasks.ts'

/** The entry point of worker threads. */
serveTasks({ 'check-arguments': checkArgumentsTask, 'vet-tools': vetToolsTask, decide: decideTask })
