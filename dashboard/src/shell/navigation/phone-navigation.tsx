import { Drawer } from '../../ui/overlays/drawer.tsx'
import { OrganizationPicker } from './organization-picker.tsx'
import { PersonMenu } from './person-menu.tsx'
import { Navigation } from './sidebar.tsx'

/** The navigation of phones. */
const PhoneNavigation = ({ onClose }: { onClose: () => void }) => (
  <Drawer side="start" isOpen onClose={onClose} title="Carabiner">
    <OrganizationPicker />
    <Navigation onNavigate={onClose} />
    <PersonMenu />
  </Drawer>
)

export default PhoneNavigation
