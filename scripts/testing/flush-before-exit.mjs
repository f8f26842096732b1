/**
 * Preloaded into test processes. `--test-force-exit` ends a process while its last results may still be queued for the
 * runner, which would then not know of these tests. The process exits only after the queue is written.
 */
const exit = process.exit.bind(process)
process.exit = code => {
  if (code !== undefined) process.exitCode = code
  process.stdout.write('', () => exit())
}
