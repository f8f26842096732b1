// Runs the quickstart of the Claude Agent SDK. It installs the SDK, which takes 400 MB.
import { installFolder } from '../support/installed-folder.ts'
import { openQuickstartStage, programsOf } from '../support/quickstarts.ts'

const { packages } = await installFolder('claude-agent')
const stage = await openQuickstartStage(packages)
try {
  for (const program of programsOf('claude-agent-sdk')) await stage.check(program, 'claude-agent-sdk')
  console.log('The program printed a link, and the notes after linking.')
} finally {
  await stage.stop()
}
