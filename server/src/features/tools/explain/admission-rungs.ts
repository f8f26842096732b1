import type { ExplainFix } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { refuseAdmission } from '../admission/admit-call.ts'
import { connectorOf, type Subject } from './explained-subject.ts'
import { type Finding, failed, type Obstacle, passed, type Rungs } from './ladder.ts'

type AdmissionRungs = Pick<
  Rungs,
  'key' | 'user' | 'mode' | 'tool_pack' | 'user_status' | 'connector' | 'tool' | 'tool_definition'
>

/** The steps up to the admission of a call. `who`: the user, as the subject of a sentence. */
export const admissionRungs = (subject: Subject, who: string): AdmissionRungs => {
  const { target, call, ownToolOffered } = subject
  const obstacle = refusalOf(subject)
  return {
    key: () =>
      call.servedOrganizationId === null
        ? failed(obstacle, 'The organization is not active in this installation.')
        : passed('The key is valid.'),
    user: () =>
      target.userId === null || call.userId === null
        ? failed(obstacle, 'There is no such Registered User among the users of this key.', {
            fix: fix('check_user', 'Check the ID, and use a production key for a production user.'),
          })
        : passed(`${who} is a Registered User of this organization.`),
    mode: () => checkMode(subject, who, obstacle),
    tool_pack: () =>
      call.packId === null || !call.packOfKey
        ? failed(obstacle, 'The organization has no such Tool Pack.', {
            fix: fix('check_tool_pack', 'Check the ID of the Tool Pack.', {
              method: 'GET',
              path: '/api/v1/tool-packs',
            }),
          })
        : passed(`The Tool Pack “${target.packName}” exists.`),
    user_status: () =>
      call.userActive
        ? passed(`${who} is active.`)
        : failed(obstacle, `${who} is deactivated.`, {
            fix: fix('activate_user', 'Activate the user, who then has to connect accounts again.', {
              method: 'PATCH',
              path: `/api/v1/registered-users/${target.userId}`,
              body: { is_active: true },
            }),
          }),
    connector: () => (ownToolOffered === null ? checkConnector(subject, obstacle) : passed(OWN_TOOL)),
    tool: () => (ownToolOffered === null ? checkTool(subject, obstacle) : checkOwnTool(subject, obstacle)),
    tool_definition: () =>
      ownToolOffered === null
        ? checkDefinition(subject, obstacle)
        : passed('The definition is part of the service.'),
  }
}

const OWN_TOOL = 'The tool belongs to the service itself.'

const fix = (action: ExplainFix['action'], label: string, request?: ExplainFix['request']): ExplainFix => ({
  action,
  label,
  ...(request && { request }),
})

/** The error of a call that is not admitted, from the function that a call uses. */
const refusalOf = ({ call }: Subject): Obstacle => {
  try {
    return refuseAdmission({
      organizationId: call.servedOrganizationId,
      organizationState: 'active',
      userId: call.userInMode && call.userOfKey ? call.userId : null,
      packId: call.packOfKey ? call.packId : null,
      userActive: call.userActive ?? false,
    })
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error }
    throw error
  }
}

const checkMode = ({ target, call }: Subject, who: string, obstacle: Obstacle): Finding => {
  const mode = target.userMode ?? call.mode
  if (call.userInMode) return passed(`${who} is a ${mode} user, as the key requires.`, { mode })
  return failed(obstacle, `${who} is a ${mode} user, and the key is not a ${mode} key.`, {
    detail: { mode },
    fix: fix('use_key', `Use a ${mode} key, or a user of the key’s mode.`),
  })
}

const checkConnector = (subject: Subject, obstacle: Obstacle): Finding => {
  const { address, addressed, call, target } = subject
  const connector = connectorOf(subject)
  if (!address || !connector)
    return failed(
      obstacle,
      address ? `There is no Connector “${address.slug}”.` : 'No Connector has such a tool.',
      {
        fix: fix('check_tool', 'Check the name of the tool in the list of tools.'),
      },
    )
  const { slug, name } = connector
  const detail = { connector: slug }
  if (!call.connectorInPack)
    return failed(obstacle, `The Tool Pack “${target.packName}” does not contain ${name}.`, {
      detail,
      fix: fix('add_connector', `Add ${name} to the connectors of the Tool Pack.`),
    })
  if (call.connectorUsable) return passed(`${name} is in the Tool Pack.`, detail)
  if (addressed.kind === 'http')
    return failed(obstacle, `${name} has no OAuth app in this organization.`, {
      detail,
      fix: fix('configure_connector', `Configure an OAuth app for ${name}.`),
    })
  return unknownTools(subject, name, obstacle)
}

const unknownTools = (subject: Subject, name: string, obstacle: Obstacle): Finding =>
  failed(obstacle, `The tools of ${name} are unknown until an account is connected.`, {
    fix: connectFix(subject, `Connect a ${name} account: create a link and hand it to the user.`),
  })

/** The request that returns a link for the connector. */
export const connectFix = (
  subject: Subject,
  label: string,
  action: ExplainFix['action'] = 'connect_account',
): ExplainFix => {
  const connector = connectorOf(subject)
  return fix(action, label, {
    method: 'POST',
    path: `/api/v1/registered-users/${subject.target.userId}/link-token`,
    body: { connector: connector?.slug, tool_pack_id: subject.target.packId },
  })
}

const checkTool = (subject: Subject, obstacle: Obstacle): Finding => {
  const { addressed, call, target } = subject
  const connector = connectorOf(subject)
  if (connector && !call.toolKnown && call.server?.toolsHash === null)
    return unknownTools(subject, connector.name, obstacle)
  const exists =
    addressed.kind === 'http'
      ? addressed.tool !== null || addressed.isRequest
      : call.toolKnown || call.review === 'new'
  if (!exists)
    return failed(obstacle, `${connector?.name} has no such tool.`, {
      fix: fix('check_tool', 'Check the name of the tool in the list of tools.'),
    })
  if (call.toolChosen) return passed('The Tool Pack offers the tool.')
  return failed(
    obstacle,
    `The Tool Pack “${target.packName}” contains ${connector?.name} without this tool.`,
    {
      fix: fix('add_tool', 'Add the tool to the Connector’s tools in the Tool Pack.'),
    },
  )
}

const checkOwnTool = ({ ownToolOffered, target }: Subject, obstacle: Obstacle): Finding =>
  ownToolOffered
    ? passed('The Tool Pack offers the tool.')
    : failed(obstacle, `The Tool Pack “${target.packName}” does not offer this tool of the service.`, {
        fix: fix('update_tool_pack', 'Turn on the setting of the Tool Pack that offers this tool.'),
      })

const checkDefinition = (subject: Subject, obstacle: Obstacle): Finding => {
  const { call, addressed } = subject
  if (addressed.kind === 'http') return passed('The definition is part of the catalog.')
  if (call.review === null) return passed('The definition is accepted.', { review_pending: false })
  const detail = { review_pending: true }
  if (call.toolKnown)
    return passed(
      `The server ${call.review === 'removed' ? 'no longer lists the tool' : 'has changed the definition'}. Until the change is reviewed, calls use the accepted definition.`,
      detail,
    )
  return failed(obstacle, 'The tool is new at the server, and its definition was not accepted yet.', {
    detail,
    fix: fix('review_tools', 'Review the changed tools of the Connector, and accept them.', {
      method: 'GET',
      path: `/api/v1/connectors/${addressed.slug}/tools`,
    }),
  })
}
