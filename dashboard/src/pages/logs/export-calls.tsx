import type { ToolCallFilter } from '@carabiner/sdk'
import { Download } from 'lucide-react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { Button } from '../../ui/button.tsx'
import { download } from '../../ui/data/download.ts'
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx'
import { toast } from '../../ui/overlays/toast.tsx'

const TIMEOUT_MS = 600_000
const FORMATS = {
  csv: { label: 'CSV', type: 'text/csv' },
  jsonl: { label: 'JSON lines', type: 'application/x-ndjson' },
} as const
type Format = keyof typeof FORMATS

/** Saves the calls that match the filter, without arguments and results. */
export const ExportCalls = ({ filter }: { filter: ToolCallFilter }) => {
  const run = useApiMutation(
    async (api, format: Format) => {
      const text = await api.toolCalls.export({ ...filter, format }, { timeoutMs: TIMEOUT_MS })
      download(`tool-calls.${format}`, FORMATS[format].type, text)
    },
    { onSuccess: () => toast({ title: 'Export saved', description: 'It contains the filtered calls.' }) },
  )
  if (run.error) {
    const { error } = run
    run.reset()
    toast({ title: 'The export failed', description: error.message, tone: 'bad' })
  }
  return (
    <Menu
      trigger={
        <Button isBusy={run.isPending} icon={<Download className="size-4" aria-hidden="true" />}>
          Export
        </Button>
      }
    >
      {(Object.keys(FORMATS) as Format[]).map(format => (
        <MenuItem key={format} onSelect={() => run.mutate(format)}>
          {FORMATS[format].label}
        </MenuItem>
      ))}
    </Menu>
  )
}
