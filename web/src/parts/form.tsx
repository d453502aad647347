// An act with figures: a dialog with its fields, which says what they would change before it is done.
import { useRef, useState } from 'preact/hooks';
import type { Body } from '../live/api';
import { Asked, type Deed, type Said } from './acts';
import { oneLine } from './format';

export interface Field {
  name: string; // as the API has it
  label: string;
  value?: string; // at first
  options?: readonly string[];
  isNeeded?: boolean;
}

interface Form {
  label: string;
  title: string;
  fields: Field[];
  deed: (values: Body) => Deed;
  said: Said;
}

const filled = (form: HTMLFormElement): Body => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]).filter(([, value]) => value !== ''));

function Entry({ of, id }: { of: Field; id: string }) {
  return (
    <p class="form-field">
      <label for={id}>{of.label}</label>{' '}
      {of.options ? (
        <select id={id} name={of.name}>
          {of.options.map((one) => <option key={one} value={one} selected={one === of.value}>{one.replace(/_/g, ' ')}</option>)}
        </select>
      ) : (
        <input id={id} name={of.name} defaultValue={of.value ?? ''} required={of.isNeeded ?? false} autocomplete="off" spellcheck={false} />
      )}
    </p>
  );
}

let forms = 0;

export function FormAct({ label, title, fields, deed, said }: Form) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [id] = useState(() => `form-${++forms}`);
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<Body | null>(null);
  const close = () => dialog.current?.close();
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setAsked(null);
          setOpen(true);
          dialog.current?.showModal();
        }}
      >
        {label} …
      </button>
      <dialog ref={dialog} aria-labelledby={id} onClose={() => setOpen(false)}>
        <h2 id={id}>{oneLine(title)}</h2>
        {isOpen ? (
          <form
            onInput={() => setAsked(null)}
            onSubmit={(event) => {
              event.preventDefault();
              setAsked(filled(event.currentTarget));
            }}
          >
            {fields.map((one, index) => <Entry key={one.name} of={one} id={`${id}-${index}`} />)}
            <p class="choice">
              <button type="submit" disabled={asked !== null}>What would it do?</button>{' '}
              {asked ? null : <button type="button" onClick={close}>do nothing</button>}
            </p>
          </form>
        ) : null}
        {isOpen && asked ? <Asked key={JSON.stringify(asked)} of={deed(asked)} name={title} close={close} said={said} /> : null}
      </dialog>
    </>
  );
}
