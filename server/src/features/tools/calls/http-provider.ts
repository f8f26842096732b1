import { callHttpTool } from '../../upstream/http/http-tool.ts'
import { fillAddress } from '../../upstream/http/template.ts'
import type { Answer } from '../../upstream/provider-answer.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import type { ThirdParty } from './provider.ts'
import type { Access } from './resolve-credential.ts'

type HttpTool = Extract<CallableTool, { kind: 'http' }>

/** A tool that a connector's file describes as a request. It is called with a user's own credential always. */
export const httpThirdParty = ({ connector, tool, name }: HttpTool): ThirdParty => {
  const secretOf = (access: Access) => {
    if (access.by !== 'user') throw new Error(`${name} is called with a user's credential only`)
    return access.secret
  }
  return {
    name: connector.name,
    connectorSlug: connector.slug,
    repeatable: tool.read_only || tool.idempotent === true,
    originFor: access => new URL(fillAddress(tool.request.url, secretOf(access).tenant)).origin,
    ask: async ({ egress }, { access, args, terms }): Promise<Answer> => {
      const answer = await callHttpTool(
        { egress },
        { connector, tool, args, secret: secretOf(access) },
        terms,
      )
      return answer.kind === 'result' ? { kind: 'value', value: answer.value } : answer
    },
  }
}
