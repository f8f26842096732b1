import { Plus } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Button } from './button.tsx'

/** The main action of a list. */
export const AddButton = (props: ComponentProps<typeof Button>) => (
  <Button kind="primary" icon={<Plus className="size-4" aria-hidden="true" />} {...props} />
)
