// A modal dialog; the browser keeps the focus inside and closes it with Escape.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ModalDialogProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly className?: string;
  /** A click outside does not close it, where closing loses something. */
  readonly isFirm?: boolean;
  readonly children: ComponentChildren;
}

export function ModalDialog(props: ModalDialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  const onCancel = (event: Event) => {
    if (props.isFirm === true) event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    if (props.isFirm !== true && event.target === element.current) props.onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={element}
      class={props.className ?? ''}
      aria-label={props.label}
      onClose={props.onClose}
      onCancel={onCancel}
      onClick={onClick}
    >
      {props.children}
    </dialog>
  );
}
