import { getRouteApi } from '@tanstack/react-router'
import { Tabs } from '../../ui/lists/tabs.tsx'
import { Page } from '../../ui/page.tsx'
import { RulesTab } from './rules-tab.tsx'
import { TestTab } from './test-tab.tsx'
import { ViolationsTab } from './violations-tab.tsx'

const route = getRouteApi('/o/$organization/$mode/security')

const SecurityPage = () => {
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page
      title="Security Gateway"
      note="Detects, redacts or blocks personal data and secrets in the arguments and results of tool calls. Rules apply in test and production mode."
    >
      <Tabs
        label="Security Gateway"
        value={tab}
        onChange={next => void navigate({ search: previous => ({ ...previous, tab: next }) })}
        tabs={[
          { value: 'rules', label: 'Rules', content: <RulesTab /> },
          { value: 'test', label: 'Test', content: <TestTab /> },
          { value: 'violations', label: 'Violations', content: <ViolationsTab /> },
        ]}
      />
    </Page>
  )
}

export default SecurityPage
