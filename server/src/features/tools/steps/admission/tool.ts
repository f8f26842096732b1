import { Refusal } from '../../../../core/refusal.ts'
import { fixBy, type StepText, type ToolStep } from './admission-step.ts'
import { unknownTools } from './connect-fix.ts'
import { connectorOf, type Subject } from './subject.ts'

/** The connector has the tool, and the Tool Pack offers it. */
export const toolStep: ToolStep = {
  name: 'tool',
  decide: subject => {
    const { ownToolOffered, preview } = subject
    const isOffered = ownToolOffered ?? (exists(subject) && preview.toolChosen)
    return isOffered ? null : new Refusal('tool_not_found', { param: 'name' })
  },
  explain: (subject, refusal) =>
    refusal ? describeProblem(subject) : { summary: 'The Tool Pack offers the tool.' },
}

/** A new tool of a server exists, but its definition is not accepted yet. */
const exists = ({ addressed, preview }: Subject): boolean =>
  addressed.kind === 'http'
    ? addressed.tool !== null || addressed.isRequest
    : preview.toolKnown || preview.review === 'new'

const describeProblem = (subject: Subject): StepText => {
  const { preview, target } = subject
  if (subject.ownToolOffered !== null)
    return {
      summary: `The Tool Pack “${target.packName}” does not offer this built-in tool.`,
      fix: fixBy('update_tool_pack', 'Turn on the setting of the Tool Pack that offers this tool.'),
    }
  const connector = connectorOf(subject)
  if (connector && !preview.toolKnown && preview.server?.toolsHash === null)
    return unknownTools(subject, connector.name)
  if (!exists(subject))
    return {
      summary: `${connector?.name} has no such tool.`,
      fix: fixBy('check_tool', 'Check the tool’s name in the list of tools.'),
    }
  return {
    summary: `The Tool Pack “${target.packName}” contains ${connector?.name}, but not this tool.`,
    fix: fixBy('add_tool', 'Add the tool to the Connector’s tools in the Tool Pack.'),
  }
}
