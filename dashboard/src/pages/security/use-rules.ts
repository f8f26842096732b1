import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { type Draft, toWrite } from './rule-draft.ts'

/** The rules are the same in both modes. */
const mode = 'production'

export const useEntities = () =>
  useApiQuery(['security-entities'], (api, options) => api.securityRules.entities(options), { mode })

/** The rules of the organization, or of a Tool Pack. */
export const useRules = (pack: string | undefined) =>
  useApiQuery(
    ['security-rules', pack ?? null],
    (api, options) =>
      pack ? api.securityRules.ofToolPack.get(pack, options) : api.securityRules.get(options),
    { mode },
  )

export const useSaveRules = (pack: string | undefined, onSaved: (submitted: Draft) => void) =>
  useApiMutation(
    (api, draft: Draft) =>
      pack
        ? api.securityRules.ofToolPack.replace(pack, toWrite(draft))
        : api.securityRules.replace(toWrite(draft)),
    { invalidates: [['security-rules']], onSuccess: (_rules, submitted) => onSaved(submitted), mode },
  )

export const useRemovePackRules = (pack: string, onSuccess: () => void) =>
  useApiMutation((api, _none: null) => api.securityRules.ofToolPack.remove(pack), {
    invalidates: [['security-rules']],
    onSuccess,
    mode,
  })
