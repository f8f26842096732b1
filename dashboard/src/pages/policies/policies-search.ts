/** `pack`: the Tool Pack whose policy is shown. Default: the organization. */
export type PoliciesSearch = { pack?: string }
/** `starter`: the starter policy that fills a new rule. */
export type RuleSearch = { pack?: string; starter?: string }
/** Instead of the ID of a rule, in the address of the editor. */
export const NEW_RULE = 'new'
