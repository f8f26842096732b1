import { getRouteApi } from '@tanstack/react-router'
import { useToolPacks } from '../../api/use-tool-packs.ts'
import { useMay } from '../../shell/use-session.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { NEW_RULE } from './policies-search.ts'
import { RuleEditor } from './rule-editor.tsx'
import { usePolicyRule } from './use-policies.ts'

const route = getRouteApi('/o/$organization/$mode/policies/$ruleId')

/** The editor of a rule, with what it would have done beside it. */
const RulePage = () => {
  const { ruleId } = route.useParams()
  const search = route.useSearch()
  const isNew = ruleId === NEW_RULE
  const mayProtect = useMay('protect')
  const { data: rule, error, refetch } = usePolicyRule(isNew ? undefined : ruleId)
  const pack = isNew ? search.pack : (rule?.tool_pack_id ?? undefined)
  const { data: packs = [] } = useToolPacks()
  const packName = packs.find(({ id }) => id === pack)?.name
  return (
    <Page
      title={isNew ? 'New rule' : (rule?.name ?? 'Rule')}
      parent={{ title: 'Policies', path: pack === undefined ? '/policies' : `/policies?pack=${pack}` }}
      note={
        pack === undefined
          ? 'For all calls of the organization.'
          : `For calls through the Tool Pack ${packName ?? ''}.`
      }
    >
      {isNew || rule ? (
        <RuleEditor
          key={`${ruleId} ${pack} ${search.starter}`}
          rule={rule}
          pack={pack}
          starter={search.starter}
          mayProtect={mayProtect}
        />
      ) : (
        <Card isFlush>
          <NotLoaded error={error} onRetry={refetch} label="Loading the rule" rows={6} />
        </Card>
      )}
    </Page>
  )
}

export default RulePage
