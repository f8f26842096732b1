import { Refusal } from '../../../../core/refusal.ts'
import { fixBy, type StepText, type ToolStep } from './admission-step.ts'
import { unknownTools } from './connect-fix.ts'
import { connectorOf, type Subject } from './subject.ts'

/** The Tool Pack contains the connector, and the organization can use it. */
export const connectorStep: ToolStep = {
  name: 'connector',
  decide: subject => {
    if (subject.ownToolOffered !== null) return null
    const { address, preview } = subject
    const isCallable = address !== null && connectorOf(subject) !== null
    return isCallable && preview.connectorInPack && preview.connectorUsable
      ? null
      : new Refusal('tool_not_found', { param: 'name' })
  },
  explain: (subject, refusal) => {
    if (subject.ownToolOffered !== null) return { summary: 'This is a built-in tool.' }
    if (refusal) return describeProblem(subject)
    const connector = connectorOf(subject)
    return {
      summary: `${connector?.name} is in the Tool Pack.`,
      ...(connector && { detail: { connector: connector.slug } }),
    }
  },
}

const describeProblem = (subject: Subject): StepText => {
  const { address, addressed, preview, target } = subject
  const connector = connectorOf(subject)
  if (!address || !connector)
    return {
      summary: address ? `There is no Connector “${address.slug}”.` : 'No Connector has this tool.',
      fix: fixBy('check_tool', 'Check the tool’s name in the list of tools.'),
    }
  const { slug, name } = connector
  const detail = { connector: slug }
  if (!preview.connectorInPack)
    return {
      summary: `The Tool Pack “${target.packName}” does not contain ${name}.`,
      detail,
      fix: fixBy('add_connector', `Add ${name} to the connectors of the Tool Pack.`),
    }
  if (addressed.kind === 'http')
    return {
      summary: `${name} has no OAuth app in this organization.`,
      detail,
      fix: fixBy('configure_connector', `Configure an OAuth app for ${name}.`),
    }
  return unknownTools(subject, name)
}
